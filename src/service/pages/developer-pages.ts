import type { Deps } from '../../accounts/auth-context.ts'
import type { AddPages } from '../api/pages-service.ts'
import { landingRoute, startRoute } from './landing/landing-page.ts'
import { mailboxRoutes } from './mailbox/mailbox-routes.ts'

/** Returns a function that adds the pages for developers at this machine. */
export const developerPages =
  (deps: Deps, token: string): AddPages =>
  (app) => {
    const { mailbox, mailboxTakes, random } = deps
    startRoute(app, { ...deps, hasMailbox: mailbox !== null, token })
    landingRoute(app, { random })
    if (mailbox) mailboxRoutes(app, { mailbox, takes: mailboxTakes, token, random })
  }
