import type { AuthContext } from '../accounts/auth-context.ts'
import { sha256Hex } from '../platform/kit/digest.ts'

/**
 * Returns a digest that identifies the client of a request. Returns null where clients cannot be
 * distinguished, as behind an undeclared proxy. In development all such clients count as one.
 */
export function requesterOf({
  request,
  config,
}: Pick<AuthContext, 'request' | 'config'>): string | null {
  const client = request.clientKey()
  if (client !== null) return requesterIn(client)
  return config.development ? 'development' : null
}

/** The digest of a client's key. */
export const requesterIn = (clientKey: string): string => sha256Hex(`requester:${clientKey}`)
