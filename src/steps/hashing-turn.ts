import type { AuthContext } from '../deps.ts'
import type { Turn } from '../passwords/gate.ts'

/**
 * Whose turn a request takes where not all passwords can be hashed at once: its client's, or, where clients
 * cannot be told apart, that of what it is about.
 *
 * @param subject the address that is asked for, or the id of the user who is signed in.
 * @param goesFirst whether they are known: signed in, or at a place where they signed in lately.
 */
export const hashingTurn = (
  { request }: AuthContext,
  subject: string,
  goesFirst: boolean,
): Turn => ({
  // A declared header may hold anything; a subject is no client, whatever it is spelled like.
  share: request.clientKey() ?? `subject ${subject}`,
  goesFirst,
})

/** The same for what an operator asks: they are few, and signed in. */
export const operatorsTurn = (ctx: AuthContext): Turn => hashingTurn(ctx, 'operator', true)
