import { checkConfig } from '../../../src/config/check-config.ts'
import type { RedirectsConfig } from '../../../src/config/sections/redirects.ts'
import type { RedirectSettings } from '../../../src/redirects/explain-redirect.ts'

/** What decides about redirects, checked as a configuration is. */
export function redirectSettings({
  siteUrl,
  ...redirects
}: RedirectsConfig & { siteUrl: string }): RedirectSettings {
  const externalUrl = 'https://auth.acme.test'
  return checkConfig({ development: true, siteUrl, externalUrl, redirects }).config
}
