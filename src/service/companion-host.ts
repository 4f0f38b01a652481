import type { AuthContext, Deps } from '../accounts/auth-context.ts'
import type { SignedIn } from '../accounts/sign-in/issue-session.ts'
import type { User } from '../accounts/users/user.ts'
import type { AuthError } from '../platform/errors/auth-error.ts'
import { companionHost } from '../platform/http/answer.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { PersonalTable } from '../platform/sql/personal-table.ts'
import type { MigrationStep } from './persistence/migrations.ts'

/** What a companion brings into the house: nothing of it is there unless somebody makes one. */
export interface Companion {
  /** Steps of the schema for its own tables, taken before it does anything. */
  migrations: readonly MigrationStep[]
  /** What it stores about people, under the names that an export has for it. */
  personalTables: Readonly<Record<string, PersonalTable>>
}

/** What a companion may use of a running service. There is one for each that was started. */
export interface CompanionServices {
  deps: Deps
  /** The log-in by password, as `/token` does it: with its counts, hooks and audit entries. */
  signInWithPassword(
    ctx: AuthContext,
    credentials: { email?: string; phone?: string; password: string },
    options: { obstacleFor(user: User): AuthError | null },
  ): Promise<SignedIn>
}

/**
 * Runs work with the service: starts it, takes the companion's own steps of the schema, and has closing wait for the work. It
 * throws what `ready` throws, and after `close` a `ClosedError`.
 */
export type EnterService = <T>(work: (service: CompanionServices) => Promise<T>) => Promise<T>

/** How companions come in. The public `Auth` does not show it. */
export interface CompanionHost {
  logger: Logger
  /** Lets a companion in. */
  register(companion: Companion): EnterService
}

/** @throws TypeError for what `createAuth` did not make. */
export function companionHostOf(auth: object): CompanionHost {
  const { [companionHost]: door } = auth as { [companionHost]?: CompanionHost }
  if (!door) throw new TypeError('auth has to be what createAuth returned')
  return door
}
