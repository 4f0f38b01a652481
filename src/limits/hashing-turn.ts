import type { AuthContext } from '../accounts/auth-context.ts'
import type { Turn } from '../credentials/passwords/gate.ts'
import { fairnessPath } from '../platform/kit/client-networks.ts'

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
): Turn => {
  const client = request.clientKey()
  // A declared header may contain anything, so a subject is never equal to a client.
  const path = client === null ? [`subject ${subject}`] : fairnessPath(client)
  return { path, goesFirst }
}

/** The same for what an operator asks: they are few, and signed in. */
export const operatorsTurn = (ctx: AuthContext): Turn => hashingTurn(ctx, 'operator', true)
