import { boolean } from '../parsers/choices.ts'
import { list } from '../parsers/lists.ts'
import { listMap, map } from '../parsers/maps.ts'
import { seconds } from '../parsers/numbers.ts'
import { text } from '../parsers/texts.ts'
import { issuerUrl, siteUrl, webUrl } from '../parsers/urls.ts'
import { live, offersLater } from '../setting.ts'

/** Names of roles that a user could impersonate. @see RFC 2142 */
const reservedNames = [
  'abuse',
  'admin',
  'administrator',
  'anonymous',
  'api',
  'billing',
  'help',
  'hostmaster',
  'info',
  'me',
  'moderator',
  'noreply',
  'null',
  'official',
  'operator',
  'owner',
  'postmaster',
  'root',
  'sales',
  'security',
  'service',
  'staff',
  'support',
  'system',
  'undefined',
  'webmaster',
  'www',
]

export const signInSettings = [
  live('usernames.enabled', {
    env: 'USERNAMES_ENABLED',
    gotrue: [],
    parser: boolean,
    default: false,
    description: 'User names in sign-up, sign-in by password and changes: `docs/usernames.md`.',
  }),
  live('usernames.changeEnabled', {
    env: 'USERNAMES_CHANGE_ENABLED',
    gotrue: [],
    parser: boolean,
    default: true,
    description: 'Lets users change their user name. A user without a name can always choose one.',
  }),
  live('usernames.reserved', {
    env: 'USERNAMES_RESERVED',
    gotrue: [],
    parser: list(),
    default: reservedNames,
    defaultText: '`admin`, `root`, `support` and others: `docs/usernames.md`',
    description: 'User names that only operators can give, with all names that look the same.',
  }),
  live('anonymousUsers.enabled', {
    env: 'EXTERNAL_ANONYMOUS_USERS_ENABLED',
    parser: boolean,
    default: false,
    description: 'Sign-in without an address or password: `docs/anonymous.md`.',
  }),
  live('anonymousUsers.staleAfterSeconds', {
    env: 'ANONYMOUS_USERS_STALE_AFTER',
    parser: seconds(),
    default: 0,
    description:
      'Time without activity after which anonymous users are deleted, at least a day; 0 deletes none: `docs/anonymous.md`.',
  }),
  live('externalSignIn.redirectUrl', {
    env: 'EXTERNAL_REDIRECTURL',
    parser: siteUrl,
    default: null,
    defaultText: 'the target that the client requests',
    description: 'Redirect target of every sign-in through a provider.',
  }),
  live('externalSignIn.lifetimeSeconds', {
    env: 'EXTERNAL_FLOW_STATE_EXPIRY_DURATION',
    parser: seconds({ min: 300, outside: 300 }),
    default: 300,
    bounds: { unit: 'seconds', unusual: 3_600, ceiling: 86_400, source: 'RFC 9700 §4.7.1' },
    description:
      'Lifetime of a sign-in at a provider, and of the code of the PKCE flow. Values below 300 count as 300.',
  }),
  live('externalSignIn.linkingDomains', {
    env: 'EXPERIMENTAL_PROVIDER_LINKING_DOMAINS',
    parser: map('='),
    default: {},
    defaultText: 'all share one',
    description:
      'Separates the accounts of providers: for each provider, the domain within which verified addresses identify an account. Users of a domain other than `default` are users of single sign-on: they change no email, phone or password, and link no identity.',
  }),
  live('externalSignIn.ownLinkingDomains', {
    env: 'EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN',
    parser: list(),
    default: [],
    deprecatedFor: 'externalSignIn.linkingDomains',
    description: 'Providers that are each a linking domain of their own.',
  }),
  live('externalSignIn.iosBundleId', {
    env: 'EXTERNAL_IOS_BUNDLE_ID',
    parser: text,
    default: null,
    description: "Further audience of Apple's ID tokens.",
  }),
  live('externalSignIn.allowedIdTokenIssuers', {
    env: 'EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS',
    parser: listMap({
      pair: 'issuer=client[,client…]',
      inCode: "{ 'https://idp.example': ['client'] }",
      name: issuerUrl,
    }),
    default: {},
    defaultText: 'none',
    description:
      'Further issuers whose ID tokens are accepted, with the clients of a token: `issuer=client[,client…]` pairs separated by spaces.',
  }),
  live('externalSignIn.discoveryLifetimeSeconds', {
    env: 'EXTERNAL_OIDC_PROVIDER_CACHE_TTL',
    parser: seconds(),
    default: 3600,
    bounds: {
      unit: 'seconds',
      unusual: 86_400,
      ceiling: 604_800,
      source: 'OpenID Connect Core §10.1.1',
    },
    description: 'How long the published data of OpenID providers are cached.',
  }),
  offersLater('saml.enabled', {
    env: 'SAML_ENABLED',
    parser: boolean,
    default: false,
    description: 'Single sign-on of organizations, by SAML 2.0.',
  }),
  offersLater('saml.privateKey', {
    env: 'SAML_PRIVATE_KEY',
    parser: text,
    default: null,
    secret: true,
    description: 'RSA key of the service provider: base64 of PKCS #1.',
  }),
  offersLater('saml.privateKeyNext', {
    env: 'SAML_PRIVATE_KEY_NEXT',
    parser: text,
    default: null,
    secret: true,
    description: 'Next key, published in advance.',
  }),
  offersLater('saml.allowEncryptedAssertions', {
    env: 'SAML_ALLOW_ENCRYPTED_ASSERTIONS',
    parser: boolean,
    default: false,
    description: 'Accepts encrypted assertions.',
  }),
  offersLater('saml.relayStateLifetimeSeconds', {
    env: 'SAML_RELAY_STATE_VALIDITY_PERIOD',
    parser: seconds(),
    default: 120,
    description: 'Lifetime of a request to an organization.',
  }),
  offersLater('saml.externalUrl', {
    env: 'SAML_EXTERNAL_URL',
    parser: webUrl,
    default: null,
    defaultText: '`externalUrl`',
    description: 'URL of the SAML endpoints.',
  }),
  live('web3.solanaEnabled', {
    env: 'EXTERNAL_WEB3_SOLANA_ENABLED',
    parser: boolean,
    default: false,
    description: 'Sign-in with a Solana wallet.',
  }),
  live('web3.solanaMaximumValiditySeconds', {
    env: 'EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION',
    parser: seconds({ min: 1 }),
    default: 600,
    bounds: { unit: 'seconds', unusual: 3_600, ceiling: 86_400, source: 'ERC-4361' },
    description:
      'Maximum age of a message that such a wallet signed, and its maximum time in the future.',
  }),
  live('web3.ethereumEnabled', {
    env: 'EXTERNAL_WEB3_ETHEREUM_ENABLED',
    parser: boolean,
    default: false,
    description: 'Sign-in with an Ethereum wallet.',
  }),
  live('web3.ethereumMaximumValiditySeconds', {
    env: 'EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION',
    parser: seconds({ min: 1 }),
    default: 600,
    bounds: { unit: 'seconds', unusual: 3_600, ceiling: 86_400, source: 'ERC-4361' },
    description:
      'Maximum age of a message that such a wallet signed, and its maximum time in the future.',
  }),
]
