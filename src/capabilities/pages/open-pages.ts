import type { H3Event } from 'h3'
import { openCookies } from '../../hosts/cookie-sessions/cookie-jar.ts'
import { viewerOfCookies } from '../../hosts/cookie-sessions/open-session.ts'
import type { Config } from '../../platform/config/config.ts'
import { withCookieSession } from '../../platform/http/request-options.ts'
import type { AddPages, PagesService } from '../../service/api/pages-service.ts'
import { presentFile, scriptPath, stylePath } from './layout.ts'
import type { PageRoute } from './page-route.ts'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'
import { createPagesHost, type PagesHost } from './pages-host.ts'
import { accountRoute } from './routes/account.ts'
import { applicationsRoute } from './routes/applications.ts'
import { completeRoute } from './routes/complete.ts'
import { componentsRoute } from './routes/components.ts'
import { confirmRoute } from './routes/confirm.ts'
import { confirmLinkingPresenter } from './routes/confirm-linking.ts'
import { consentRoute } from './routes/consent.ts'
import { dataRoute } from './routes/data.ts'
import { deviceRoute } from './routes/device.ts'
import { endpointErrorPresenter, errorRoute } from './routes/error.ts'
import { forgotPasswordRoute } from './routes/forgot-password.ts'
import { identitiesRoute } from './routes/identities.ts'
import { mailedLinkPresenter } from './routes/mailed-link.ts'
import { newPasswordRoute } from './routes/new-password.ts'
import { secondFactorRoute } from './routes/second-factor.ts'
import { securityRoute } from './routes/security/security.ts'
import { sessionsRoute } from './routes/sessions.ts'
import { signInRoute } from './routes/sign-in.ts'
import { signUpRoute } from './routes/sign-up.ts'
import { signedOutRoute } from './routes/signed-out.ts'
import { serveForm, servePage } from './serve-page.ts'

/** All pages of users, in reading order. */
export const pageRoutes: readonly PageRoute[] = [
  signInRoute,
  signUpRoute,
  confirmRoute,
  completeRoute,
  forgotPasswordRoute,
  newPasswordRoute,
  signedOutRoute,
  errorRoute,
  secondFactorRoute,
  accountRoute,
  securityRoute,
  sessionsRoute,
  identitiesRoute,
  dataRoute,
]

/** The pages of a service that is an OAuth server. */
export const oauthPageRoutes: readonly PageRoute[] = [consentRoute, applicationsRoute, deviceRoute]

const oauthRoutes = ({ oauthServer }: Pick<Config, 'oauthServer'>): readonly PageRoute[] =>
  oauthServer.enabled
    ? oauthPageRoutes.filter((route) => route !== deviceRoute || oauthServer.deviceFlow.enabled)
    : []

/** Creates the pages of a running service. */
export async function openPages(service: PagesService): Promise<AddPages> {
  const host = await createPagesHost(service)
  return (app, pages) => {
    pages.confirmLink = mailedLinkPresenter(host)
    pages.confirmLinking = confirmLinkingPresenter(host)
    pages.error = endpointErrorPresenter(host)
    for (const path of ['/callback', '/callback/**']) {
      app.use(path, (event) => bindCallback(host, event))
    }
    app.get(stylePath, () => presentFile('text/css', pageStyle))
    app.get(scriptPath, () => presentFile('text/javascript', pageScript))
    const { config } = host.deps
    const added = [...oauthRoutes(config), ...(config.development ? [componentsRoute] : [])]
    for (const route of [...pageRoutes, ...added]) {
      app.get(route.path, (event) => servePage(host, route, event))
      if (route.actions) app.post(route.path, (event) => serveForm(host, route, event))
    }
  }
}

/**
 * Adds the id of the pages' session to a callback of a provider: the session that started a linking
 * flow needs no confirmation. A session that has to be renewed first is left out.
 */
async function bindCallback({ cookies }: PagesHost, { req }: H3Event): Promise<void> {
  const viewer = await viewerOfCookies(cookies, openCookies(cookies, req), null).catch(() => null)
  if (viewer?.sessionId) withCookieSession(req, viewer.sessionId)
}
