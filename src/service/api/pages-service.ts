import type { H3 } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import type { Pages } from '../../endpoints/http/implement.ts'
import type { AdminApi } from './admin-api.ts'
import type { AuthApi } from './auth-api.ts'
import type { OutboxApi } from './outbox-api.ts'
import type { SessionService } from './session-service.ts'

/** The parts of a running service that pages use: they call the API, which decides. */
export interface PagesService {
  deps: Deps
  api: AuthApi
  /** Calls have to name the operator as their actor. */
  admin: AdminApi
  outbox: OutboxApi
  /** The configuration as the application or the environment supplies it. */
  settings: GivenSettings
  /** For sessions in cookies. */
  sessions: SessionService
}

/** The source of a configuration. */
export interface GivenSettings {
  /** Returns the paths of the settings that it contains. */
  paths(): ReadonlySet<string>
  /** Returns the name of a setting in it. */
  nameOf(path: string): string
}

/** Adds pages to the router of the endpoints, and may replace the pages that endpoints return. */
export type AddPages = (app: H3, pages: Pages) => void
