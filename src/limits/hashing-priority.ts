import type { AuthContext } from '../accounts/auth-context.ts'
import type { HashingPriority } from '../credentials/passwords/gate.ts'
import { fairnessPath } from '../platform/kit/client-networks.ts'

/**
 * The fairness key and priority of a request while the gate of password hashing is busy. The key is
 * the client, or the subject where clients cannot be distinguished.
 *
 * @param subject the requested address, or the id of the signed-in user.
 * @param hasPriority whether the user is known: signed in, or at a network of a recent sign-in.
 */
export const hashingPriority = (
  { request }: AuthContext,
  subject: string,
  hasPriority: boolean,
): HashingPriority => {
  const client = request.clientKey()
  // A declared header may contain anything, so a subject is never equal to a client.
  const path = client === null ? [`subject ${subject}`] : fairnessPath(client)
  return { path, hasPriority }
}

/** The same for requests of operators, who are few and authenticated. */
export const operatorPriority = (ctx: AuthContext): HashingPriority =>
  hashingPriority(ctx, 'operator', true)
