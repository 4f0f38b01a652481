import type { Deps } from '../../accounts/auth-context.ts'
import type { CookieHost } from '../../hosts/cookie-sessions/cookie-host.ts'
import { resolveCookieTerms } from '../../hosts/cookie-sessions/cookie-terms.ts'
import { createRenewals } from '../../hosts/cookie-sessions/renewals.ts'
import { landingPath } from '../../platform/config/derive-defaults.ts'
import { pathBelow } from '../../platform/kit/trailing-slashes.ts'
import type { AuthApi } from '../../service/api/auth-api.ts'
import type { PagesService } from '../../service/api/pages-service.ts'
import { siteNameOf } from '../../service/pages/page-answer.ts'
import { pageOrigins } from './pages-settings.terms.ts'
import { builtInLanguagesOf, createTexts, type Texts, unknownTexts } from './texts/texts.ts'

/** The parts of the pages that all requests share. */
export interface PagesHost {
  deps: Deps
  api: AuthApi
  /** The sessions of the pages, which an application on the same origin shares. */
  cookies: CookieHost
  /** The sessions that still require a second factor, which no application accepts. */
  pending: CookieHost
  /** The path of the mount for browsers, without a slash at its end. */
  root: string
  siteName: string
  texts: Texts
  /** The path of the page after a sign-in without a redirect target; null for the site. */
  home: string | null
}

/** How long a sign-in may wait for its second factor. */
const pendingLifetimeSeconds = 900

/** @param options.hasAddedLanguages false for pages that have the built-in languages only. */
export async function createPagesHost(
  { deps, api, sessions }: PagesService,
  { hasAddedLanguages = true } = {},
): Promise<PagesHost> {
  const { config, clock } = deps
  const { pages, development, externalUrl, siteUrl } = config
  for (const key of unknownTexts(pages.texts))
    deps.logger.warn({ key }, 'pages.texts contains an unknown language or key')
  const renewals = createRenewals(sessions, clock)
  const origin = pageOrigins(config)
  const hostOf = (options: { name?: string; lifetimeSeconds?: number }): CookieHost => ({
    auth: sessions,
    terms: resolveCookieTerms({ origin, development, ...options }),
    renewals,
    clock,
  })
  const pending = { name: 'latchkey-pending', lifetimeSeconds: pendingLifetimeSeconds }
  return {
    deps,
    api,
    cookies: hostOf({}),
    pending: hostOf(pending),
    root: pathBelow(externalUrl),
    siteName: siteNameOf(config),
    texts: createTexts(hasAddedLanguages ? pages.texts : builtInLanguagesOf(pages.texts)),
    home: siteUrl.endsWith(landingPath) ? '/account' : null,
  }
}
