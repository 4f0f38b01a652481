import type { AuthContext, Deps } from '../accounts/auth-context.ts'
import type { SignedIn } from '../accounts/sign-in/issue-session.ts'
import type { User } from '../accounts/users/user.ts'
import type { AuthError } from '../platform/errors/auth-error.ts'
import { capabilityHost } from '../platform/http/answer.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Capability } from './capability.ts'

/** The parts of a running service that a capability may use. There is one for each service that was started. */
export interface CapabilityServices {
  deps: Deps
  /** Signs in by password as `/token` does: with its counts, hooks and audit entries. */
  signInWithPassword(
    ctx: AuthContext,
    credentials: { email?: string; phone?: string; password: string },
    options: { obstacleFor(user: User): AuthError | null },
  ): Promise<SignedIn>
}

/**
 * Runs work with the service: starts it, takes the capability's steps of the schema, and has closing wait for the work. It
 * throws what `ready` throws, and after `close` a `ClosedError`.
 */
export type EnterService = <T>(work: (service: CapabilityServices) => Promise<T>) => Promise<T>

/** The interface through which an application enables capabilities. The public `Auth` does not show it. */
export interface CapabilityHost {
  logger: Logger
  /** Enables a capability. */
  register(capability: Capability): EnterService
}

/** @throws TypeError for an object that `createAuth` did not return. */
export function capabilityHostOf(auth: object): CapabilityHost {
  const { [capabilityHost]: host } = auth as { [capabilityHost]?: CapabilityHost }
  if (!host) throw new TypeError('auth has to be what createAuth returned')
  return host
}
