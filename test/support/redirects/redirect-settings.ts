import type { RedirectSettings } from '../../../src/limits/redirects/explain-redirect.ts'
import { checkConfig } from '../../../src/platform/config/check-config.ts'
import type { RedirectsConfig } from '../../../src/platform/config/sections/site.ts'

/** Returns the settings of redirects, validated like a configuration. */
export function redirectSettings({
  siteUrl,
  ...redirects
}: RedirectsConfig & { siteUrl: string }): RedirectSettings {
  const externalUrl = 'https://auth.acme.test'
  return checkConfig({ development: true, siteUrl, externalUrl, redirects }).config
}
