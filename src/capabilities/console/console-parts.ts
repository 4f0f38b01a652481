import type { Deps } from '../../accounts/auth-context.ts'
import type { AdminApi } from '../../service/api/admin-api.ts'
import type { AuthApi } from '../../service/api/auth-api.ts'
import type { OutboxApi } from '../../service/api/outbox-api.ts'
import type { GivenSettings, PagesService } from '../../service/api/pages-service.ts'
import type { PagesHost } from '../pages/pages-host.ts'
import { type CheckOutside, createOutsideChecks } from './check-outside.ts'

/** The parts of the console that all requests share. */
export interface ConsoleParts {
  host: PagesHost
  deps: Deps
  api: AuthApi
  admin: AdminApi
  outbox: OutboxApi
  settings: GivenSettings
  /** Checks mail server, mail records and providers. */
  checkOutside: CheckOutside
}

export const consoleParts = (
  { deps, api, admin, outbox, settings }: PagesService,
  host: PagesHost,
): ConsoleParts => ({
  host,
  deps,
  api,
  admin,
  outbox,
  settings,
  checkOutside: createOutsideChecks({ deps, settings }),
})
