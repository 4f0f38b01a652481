import { boolean } from '../kinds/choices.ts'
import { seconds } from '../kinds/numbers.ts'
import { text } from '../kinds/texts.ts'
import { siteUrl, urlOrPath } from '../kinds/urls.ts'
import { offersLater } from '../setting.ts'

export const signInSettings = [
  offersLater('anonymousUsers.enabled', {
    env: 'EXTERNAL_ANONYMOUS_USERS_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in without any account.',
  }),
  offersLater('externalSignIn.redirectUrl', {
    env: 'EXTERNAL_REDIRECTURL',
    kind: siteUrl,
    default: null,
    defaultText: 'what the client asked for',
    description: 'Where every sign-in through a provider ends.',
  }),
  offersLater('externalSignIn.iosBundleId', {
    env: 'EXTERNAL_IOS_BUNDLE_ID',
    kind: text,
    default: null,
    description: "Further audience of Apple's id tokens.",
  }),
  offersLater('saml.enabled', {
    env: 'SAML_ENABLED',
    kind: boolean,
    default: false,
    description: 'Single sign-on of organisations, by SAML 2.0.',
  }),
  offersLater('saml.privateKey', {
    env: 'SAML_PRIVATE_KEY',
    kind: text,
    default: null,
    secret: true,
    description: 'RSA key of the service provider: base64 of PKCS #1.',
  }),
  offersLater('saml.privateKeyNext', {
    env: 'SAML_PRIVATE_KEY_NEXT',
    kind: text,
    default: null,
    secret: true,
    description: 'Key that will follow it, published ahead.',
  }),
  offersLater('web3.solanaEnabled', {
    env: 'EXTERNAL_WEB3_SOLANA_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with a Solana wallet.',
  }),
  offersLater('web3.ethereumEnabled', {
    env: 'EXTERNAL_WEB3_ETHEREUM_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with an Ethereum wallet.',
  }),
  offersLater('oauthServer.enabled', {
    env: 'OAUTH_SERVER_ENABLED',
    kind: boolean,
    default: false,
    description: 'Signs people in to other applications, by OAuth 2.1.',
  }),
  offersLater('oauthServer.allowDynamicRegistration', {
    env: 'OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION',
    kind: boolean,
    default: false,
    description: 'Lets such applications register themselves.',
  }),
  offersLater('oauthServer.authorizationPath', {
    env: 'OAUTH_SERVER_AUTHORIZATION_PATH',
    kind: urlOrPath,
    default: null,
    description: 'Page of the site where people consent.',
  }),
  offersLater('oauthServer.authorizationLifetimeSeconds', {
    env: 'OAUTH_SERVER_AUTHORIZATION_TTL',
    kind: seconds(),
    default: 600,
    description: 'How long people may take to consent.',
  }),
  offersLater('oauthServer.defaultScope', {
    env: 'OAUTH_SERVER_DEFAULT_SCOPE',
    kind: text,
    default: 'email',
    description: 'Scope of a request that names none.',
  }),
]
