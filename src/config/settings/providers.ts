import { boolean } from '../kinds/choices.ts'
import { oneOrMore } from '../kinds/lists.ts'
import { text } from '../kinds/texts.ts'
import { webUrl } from '../kinds/urls.ts'
import { providerNames } from '../provider-names.ts'
import { offersLater } from '../setting.ts'

const named = (suffix: string, member: string) => ({
  env: `EXTERNAL_<PROVIDER>_${suffix}`,
  path: `providers.<provider>.${member}`,
})

export const providerSettings = providerNames.flatMap((name) => {
  const env = (suffix: string) => `EXTERNAL_${name.toUpperCase()}_${suffix}`
  return [
    offersLater(`providers.${name}.enabled`, {
      env: env('ENABLED'),
      kind: boolean,
      default: false,
      defaultText: 'false; in code, true for a provider that is named',
      onWhenNamed: true,
      family: named('ENABLED', 'enabled'),
      description: 'Lets people sign in through the provider.',
    }),
    offersLater(`providers.${name}.clientIds`, {
      path: `providers.${name}.clientId`,
      env: env('CLIENT_ID'),
      kind: oneOrMore,
      default: [],
      defaultText: 'required when enabled',
      family: named('CLIENT_ID', 'clientId'),
      description:
        'OAuth client; of several, separated by commas, the first signs in and all are audiences of id tokens.',
    }),
    offersLater(`providers.${name}.clientSecret`, {
      env: env('SECRET'),
      kind: text,
      default: null,
      defaultText: 'required when enabled',
      secret: true,
      family: named('SECRET', 'clientSecret'),
      description: 'Secret of that client.',
    }),
    offersLater(`providers.${name}.redirectUri`, {
      env: env('REDIRECT_URI'),
      kind: webUrl,
      defaultText: 'required when enabled; in code, `externalUrl` + `/callback`',
      family: named('REDIRECT_URI', 'redirectUri'),
      description: 'Where the provider sends people back to.',
    }),
    offersLater(`providers.${name}.url`, {
      env: env('URL'),
      kind: webUrl,
      default: null,
      defaultText: 'the public host; required for `keycloak`',
      family: named('URL', 'url'),
      description: "Base URL in place of the provider's public host; for `keycloak`, its realm.",
    }),
    offersLater(`providers.${name}.emailOptional`, {
      env: env('EMAIL_OPTIONAL'),
      kind: boolean,
      default: false,
      family: named('EMAIL_OPTIONAL', 'emailOptional'),
      description: 'Accepts accounts without an email address.',
    }),
    offersLater(`providers.${name}.skipNonceCheck`, {
      env: env('SKIP_NONCE_CHECK'),
      kind: boolean,
      default: false,
      family: named('SKIP_NONCE_CHECK', 'skipNonceCheck'),
      description: 'Accepts id tokens whose nonce cannot be compared.',
    }),
  ]
})
