import type { Random } from '../kit/random.ts'
import { isRequestId } from '../kit/request-id.ts'

/** The name under which every answer tells the id of its request. */
export const requestIdHeader = 'x-request-id'

/**
 * The id of a request: inherited from the header that the operator named, where that holds a usable
 * one, else new.
 */
export function readRequestId(request: Request, header: string | null, random: Random): string {
  const inherited = header ? request.headers.get(header) : null
  return inherited && isRequestId(inherited) ? inherited : random.uuid()
}
