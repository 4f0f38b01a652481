import type { Config } from '../../platform/config/config.ts'
import { boolean } from '../../platform/config/parsers/choices.ts'
import { integer } from '../../platform/config/parsers/numbers.ts'
import { webUrl } from '../../platform/config/parsers/urls.ts'
import { live } from '../../platform/config/setting.ts'

export const settingsTitle = 'Custom providers'

export const settings = [
  live('customOauth.enabled', {
    env: 'CUSTOM_OAUTH_ENABLED',
    parser: boolean,
    default: true,
    description: 'External providers that operators register by the admin API.',
  }),
  live('customOauth.maxProviders', {
    env: 'CUSTOM_OAUTH_MAX_PROVIDERS',
    parser: integer('number', { min: 0, max: 1_000 }),
    default: 0,
    description: 'Maximum number of these providers; 0 for 1,000.',
  }),
  live('customOauth.externalUrl', {
    env: 'CUSTOM_OAUTH_EXTERNAL_URL',
    parser: webUrl,
    default: null,
    description: 'URL that replaces `AUTH_API_EXTERNAL_URL` in their redirect URIs.',
  }),
  live('customOauth.ownCallbacks', {
    env: 'CUSTOM_OAUTH_OWN_CALLBACKS',
    parser: boolean,
    default: false,
    description:
      'Whether the redirect URI of each ends in `/callback/<identifier>`, so that no provider can obtain the codes of another.',
  }),
] as const

/** Returns the URL to which providers redirect browsers with codes. */
export const openedUrls = ({
  customOauth: { enabled, externalUrl },
}: Pick<Config, 'customOauth'>): [string, string | null][] =>
  enabled ? [['customOauth.externalUrl', externalUrl]] : []
