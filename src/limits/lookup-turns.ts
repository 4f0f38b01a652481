import type { AuthContext } from '../accounts/auth-context.ts'
import { hashingPriority } from '../credentials/passwords/gate.ts'

/**
 * Looks up an account for a request without a session, a few at a time for each kind: in a flood,
 * more lookups arrive than passwords can be hashed and messages sent, and they leave the
 * connections and cores to other requests. Networks take turns.
 *
 * In the host's transaction they do not wait: those before them could wait for its rows.
 *
 * @param subject the requested address or name.
 */
export const inLookupTurn = <T>(
  ctx: AuthContext,
  kind: 'password' | 'message' | 'sign-up',
  subject: string,
  lookUp: () => Promise<T>,
): Promise<T> =>
  ctx.isInTransaction
    ? lookUp()
    : ctx.lookupTurns(kind, hashingPriority(ctx, subject, false).path, lookUp)
