import type { H3 } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import type { AuthApi } from './auth-api.ts'
import type { SessionService } from './session-service.ts'

/** The parts of a running service that pages use: they call the API, which decides. */
export interface PagesService {
  deps: Deps
  api: AuthApi
  /** For sessions in cookies. */
  sessions: SessionService
}

/** Adds pages to the router of the endpoints. */
export type AddPages = (app: H3) => void
