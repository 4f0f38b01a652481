import type { AuthContext, Deps } from '../accounts/auth-context.ts'
import type { IssuedSession } from '../accounts/sign-in/issue-session.ts'
import type { User } from '../accounts/users/user.ts'
import type { AuthError } from '../platform/errors/auth-error.ts'
import { capabilityHost } from '../platform/http/answer.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Capability } from './capability.ts'

/** The parts of a running service that a capability may use. Each started service has its own. */
export interface CapabilityServices {
  deps: Deps
  /** Returns the context of a call from code. */
  openCall(): AuthContext
  /** Signs in by password as `/token` does: with its counts, hooks and audit entries. */
  signInWithPassword(
    ctx: AuthContext,
    credentials: { email?: string; phone?: string; password: string },
    options: { obstacleFor(user: User): AuthError | null },
  ): Promise<IssuedSession>
}

/**
 * Runs work with the service: starts it and migrates the capability's tables first. Closing the
 * service waits for the work. Rejects with the errors of `ready`, and after `close` with a
 * `ClosedError`.
 */
export type EnterService = <T>(work: (service: CapabilityServices) => Promise<T>) => Promise<T>

/** The interface that enables optional capabilities. The public `Auth` does not contain it. */
export interface CapabilityHost {
  logger: Logger
  /** Enables a capability. */
  register(capability: Capability): EnterService
}

/**
 * Returns the interface for capabilities of a service.
 *
 * @throws TypeError for an object that `createAuth` did not return.
 */
export function capabilityHostOf(auth: object): CapabilityHost {
  const { [capabilityHost]: host } = auth as { [capabilityHost]?: CapabilityHost }
  if (!host) throw new TypeError('auth has to be what createAuth returned')
  return host
}
