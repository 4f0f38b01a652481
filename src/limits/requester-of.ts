import type { AuthContext } from '../accounts/auth-context.ts'
import { sha256Hex } from '../platform/kit/digest.ts'

/**
 * What tells the client of a request from others: a digest of what limits tell it by. Null where it cannot be told, as
 * behind a proxy that was not declared. In development all that cannot be told apart are one client.
 */
export function requesterOf({
  request,
  config,
}: Pick<AuthContext, 'request' | 'config'>): string | null {
  const client = request.clientKey()
  if (client !== null) return requesterIn(client)
  return config.development ? 'development' : null
}

/** What the requests of a client are told by. */
export const requesterIn = (clientKey: string): string => sha256Hex(`requester:${clientKey}`)
