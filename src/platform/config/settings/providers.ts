import { boolean } from '../parsers/choices.ts'
import { mapProfile, providerDefinition } from '../parsers/code-only.ts'
import { nonEmpty, oneOrMore } from '../parsers/lists.ts'
import { listMap } from '../parsers/maps.ts'
import { privateKeyPem } from '../parsers/secrets.ts'
import { emailDomain, text } from '../parsers/texts.ts'
import { webUrl } from '../parsers/urls.ts'
import { type ProviderName, providerNames } from '../provider-names.ts'
import { live } from '../setting.ts'

const named = (suffix: string | null, member: string) => ({
  env: suffix && `EXTERNAL_<PROVIDER>_${suffix}`,
  path: `providers.<provider>.${member}`,
})

/** Returns the settings of one provider. Built-in providers have names in the environment, too. */
export const settingsOfProvider = (name: ProviderName) => {
  const env = (suffix: string) => `EXTERNAL_${name.toUpperCase()}_${suffix}`
  return [
    live(`providers.${name}.enabled`, {
      env: env('ENABLED'),
      parser: boolean,
      default: false,
      defaultText: 'false; in code, true for a configured provider',
      onWhenNamed: true,
      family: named('ENABLED', 'enabled'),
      description: 'Enables sign-in through the provider.',
    }),
    live(`providers.${name}.clientIds`, {
      path: `providers.${name}.clientId`,
      env: env('CLIENT_ID'),
      parser: oneOrMore,
      default: [],
      defaultText: 'required when enabled',
      family: named('CLIENT_ID', 'clientId'),
      description:
        'OAuth client; of several, separated by commas, the first is used for sign-in and all are audiences of ID tokens.',
    }),
    live(`providers.${name}.clientSecret`, {
      env: env('SECRET'),
      parser: text,
      default: null,
      defaultText: 'required when enabled',
      secret: true,
      family: named('SECRET', 'clientSecret'),
      description: 'Secret of that client.',
    }),
    live(`providers.${name}.redirectUri`, {
      env: env('REDIRECT_URI'),
      parser: webUrl,
      defaultText:
        'required when enabled; in code, `externalUrl` + `/callback`, with several providers + `/<provider>`',
      family: named('REDIRECT_URI', 'redirectUri'),
      description: 'Redirect URI.',
    }),
    live(`providers.${name}.url`, {
      env: env('URL'),
      parser: webUrl,
      default: null,
      defaultText: 'the public host; required for `keycloak`',
      family: named('URL', 'url'),
      description: "Base URL that replaces the provider's public host; for `keycloak`, its realm.",
    }),
    live(`providers.${name}.emailOptional`, {
      env: env('EMAIL_OPTIONAL'),
      parser: boolean,
      default: false,
      family: named('EMAIL_OPTIONAL', 'emailOptional'),
      description: 'Accepts accounts without an email address.',
    }),
    live(`providers.${name}.skipNonceCheck`, {
      env: env('SKIP_NONCE_CHECK'),
      parser: boolean,
      default: false,
      family: named('SKIP_NONCE_CHECK', 'skipNonceCheck'),
      description: 'Accepts ID tokens whose nonce cannot be compared.',
    }),
    live(`providers.${name}.signUpDisabled`, {
      env: env('DISABLE_SIGNUP'),
      parser: boolean,
      default: false,
      family: named('DISABLE_SIGNUP', 'signUpDisabled'),
      description: 'Accepts only users that exist already.',
    }),
    live(`providers.${name}.keepTokens`, {
      env: env('KEEP_TOKENS'),
      parser: boolean,
      default: false,
      family: named('KEEP_TOKENS', 'keepTokens'),
      description:
        'Stores the tokens of the provider, encrypted, and renews them: `docs/provider-tokens.md`.',
    }),
    live(`providers.${name}.definition`, {
      env: null,
      parser: providerDefinition,
      default: null,
      family: named(null, 'definition'),
      description: 'Definition of a provider that is not built in: `docs/providers.md`.',
    }),
    live(`providers.${name}.mapProfile`, {
      env: null,
      parser: mapProfile,
      default: null,
      family: named(null, 'mapProfile'),
      description: 'Changes a profile before it is used or stored.',
    }),
  ]
}

/** The settings of the key that signs Apple's client secrets. */
const appleKeySettings = [
  live('providers.apple.teamId', {
    env: 'EXTERNAL_APPLE_TEAM_ID',
    parser: text,
    default: null,
    defaultText: 'none: the secret is signed already',
    description: 'Apple team that the key belongs to.',
  }),
  live('providers.apple.keyId', {
    env: 'EXTERNAL_APPLE_KEY_ID',
    parser: text,
    default: null,
    defaultText: 'none: the secret is signed already',
    description: 'Apple’s id of the key.',
  }),
  live('providers.apple.privateKey', {
    env: 'EXTERNAL_APPLE_PRIVATE_KEY',
    parser: privateKeyPem,
    default: null,
    defaultText: 'none: the secret is signed already',
    secret: true,
    description:
      'Key that signs client secrets in place of `clientSecret`: the content of the `.p8` file; line breaks may be `\\n`.',
  }),
] as const

const workosSettings = [
  live('providers.workos.organizations', {
    env: 'EXTERNAL_WORKOS_ORGANIZATIONS',
    parser: listMap({
      pair: 'organization=domain[,domain…]',
      inCode: "{ org_01: ['example.com'] }",
      name: nonEmpty,
      value: emailDomain,
      requiresValues: true,
    }),
    default: {},
    defaultText: 'none: no address is verified',
    description:
      'Email domains of each organization, whose directory verifies addresses there: `organization=domain[,domain…]` pairs separated by spaces.',
  }),
] as const

export const providerSettings = [
  ...providerNames.flatMap(settingsOfProvider),
  ...appleKeySettings,
  ...workosSettings,
]
