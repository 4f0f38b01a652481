import type { AuthContext } from '../../accounts/auth-context.ts'
import { authenticateOperator } from '../../accounts/callers/authenticate-admin.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { findKeyHolder } from './keys.sql.ts'
import { type PagesUser, readPrivileges } from './owner.ts'
import { type Action, noSession, notAllowed } from './pages-error.ts'
import type { Credential } from './read-pages-credential.ts'

/** An operator of the service who manages pages. */
export interface Administrator {
  /** Null for a token without a user. Its bearer may do everything, and owns no page. */
  user: PagesUser | null
}

/**
 * Authenticates a request, in one statement at most, after its body was read.
 *
 * @returns null without a credential, with one that is invalid, expired or revoked, or of a user
 *   who was banned or is no operator.
 */
export async function findAdministrator(
  ctx: AuthContext,
  credential: Credential | null,
): Promise<Administrator | null> {
  if (!credential) return null
  if ('token' in credential) return findBearer(ctx, credential.token)
  return administratorOf(await findKeyHolder(ctx, credential.keyHash))
}

export const administratorOf = (holder: PagesUser | null): Administrator | null =>
  holder && { user: holder }

/**
 * @throws faults: an error of the service must not turn an operator into an unauthenticated client.
 */
async function findBearer(ctx: AuthContext, token: string): Promise<Administrator | null> {
  try {
    const { caller } = await authenticateOperator(ctx, token)
    if (!caller) return { user: null }
    const { id, email, phone, role, appMetadata, createdAt } = caller.user
    const privileges = appMetadata['privileges']
    const user = { userId: id, ownerId: null, email, phone, role, privileges }
    return { user: { ...user, created_at: createdAt.toISOString() } }
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  }
}

/**
 * Requires an administrator with permission for an action on pages.
 *
 * @throws SubscribePagesError 403.
 */
export function requireAllowed(found: Administrator | null, action: Action): Administrator {
  if (!found) throw noSession()
  if (found.user && !readPrivileges(found.user.privileges).subscribers) throw notAllowed(action)
  return found
}
