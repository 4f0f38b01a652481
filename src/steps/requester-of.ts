import type { AuthContext } from '../deps.ts'
import { sha256Hex } from '../kit/digest.ts'

/**
 * What tells the client of a request from others: a digest of its network. Null where it cannot be told, as
 * behind a proxy that was not declared. In development all that cannot be told apart are one client.
 */
export function requesterOf({
  request,
  config,
}: Pick<AuthContext, 'request' | 'config'>): string | null {
  const network = request.network()
  if (network !== null) return requesterIn(network)
  return config.development ? 'development' : null
}

/** What requests from a network are told by. */
export const requesterIn = (network: string): string => sha256Hex(`requester:${network}`)
