import type { Deps } from '../../accounts/auth-context.ts'
import type { AdminApi } from '../../service/api/admin-api.ts'
import type { OutboxApi } from '../../service/api/outbox-api.ts'
import type { GivenSettings, PagesService } from '../../service/api/pages-service.ts'
import type { PagesHost } from '../pages/pages-host.ts'

/** The parts of the console that all requests share. */
export interface ConsoleParts {
  host: PagesHost
  deps: Deps
  admin: AdminApi
  outbox: OutboxApi
  settings: GivenSettings
}

export const consoleParts = (
  { deps, admin, outbox, settings }: PagesService,
  host: PagesHost,
): ConsoleParts => ({ host, deps, admin, outbox, settings })
