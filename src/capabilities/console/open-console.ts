import type { H3 } from 'h3'
import { requireLocalAccess } from '../../endpoints/http/local-access.ts'
import type { AddPages, PagesService } from '../../service/api/pages-service.ts'
import { presentFile } from '../pages/layout.ts'
import { createPagesHost } from '../pages/pages-host.ts'
import { serveForm, servePage } from '../pages/serve-page.ts'
import { consoleScriptPath, consoleStylePath } from './console-layout.ts'
import { type ConsoleParts, consoleParts } from './console-parts.ts'
import { type ConsoleRoute, toPageRoute } from './console-route.ts'
import { consoleScript } from './console-script.ts'
import { consoleStyle } from './console-style.ts'
import { demonstrationRoute } from './demonstration.ts'
import { auditRoutes } from './routes/audit.ts'
import { clientRoute } from './routes/clients/client.ts'
import { clientsRoute } from './routes/clients/clients.ts'
import { newClientRoute } from './routes/clients/new-client.ts'
import { configurationRoute } from './routes/configuration.ts'
import { decisionsRoute } from './routes/decisions.ts'
import { healthRoute } from './routes/health.ts'
import { keysRoute } from './routes/keys.ts'
import { limitsRoute } from './routes/limits.ts'
import { mailRoutes } from './routes/mails.ts'
import { newUserRoute } from './routes/new-user.ts'
import { outboxRoute } from './routes/outbox.ts'
import { overviewRoute } from './routes/overview.ts'
import { newProviderRoute } from './routes/providers/new-provider.ts'
import { providerRoute } from './routes/providers/provider.ts'
import { providersRoute } from './routes/providers/providers.ts'
import { userRoute } from './routes/user/user.ts'
import { usersRoute } from './routes/users.ts'

/** All pages of the console. A test walks them with every kind of caller. */
export const consoleRoutes: readonly ConsoleRoute[] = [
  overviewRoute,
  usersRoute,
  newUserRoute,
  userRoute,
  clientsRoute,
  newClientRoute,
  clientRoute,
  providersRoute,
  newProviderRoute,
  providerRoute,
  ...auditRoutes,
  outboxRoute,
  ...mailRoutes,
  decisionsRoute,
  limitsRoute,
  keysRoute,
  configurationRoute,
  healthRoute,
]

/** Creates the console of a running service. */
export async function openConsole(service: PagesService): Promise<AddPages> {
  const host = await createPagesHost(service, { hasAddedLanguages: false })
  const parts = consoleParts(service, host)
  return (app) => {
    app.get(consoleStylePath, () => presentFile('text/css', consoleStyle))
    app.get(consoleScriptPath, () => presentFile('text/javascript', consoleScript))
    const { config, developerToken } = parts.deps
    // A configured database may be a real one, which must not receive an operator.
    if (developerToken !== null && config.database.url === null) {
      addDemonstration(app, parts, developerToken)
    }
    for (const one of consoleRoutes) {
      const route = toPageRoute(parts, one)
      app.get(route.path, (event) => servePage(host, route, event))
      if (one.actions) app.post(route.path, (event) => serveForm(host, route, event))
    }
  }
}

/** Adds the sign-in as a demonstration operator, which only the embedded database has. */
function addDemonstration(app: H3, parts: ConsoleParts, token: string): void {
  const route = demonstrationRoute(parts)
  app.get(
    route.path,
    (event) => requireLocalAccess(event, token) ?? servePage(parts.host, route, event),
  )
}
