import type { Random } from '../kit/random.ts'

/** The name under which every answer tells the id of its request. */
export const requestIdHeader = 'x-request-id'

const form = /^[\w.:+/=@-]{1,128}$/

/** Whether a text can be the id of a request. */
export const isRequestId = (text: string): boolean => form.test(text)

/**
 * The id of a request: inherited from the header that the operator named, where that holds a usable
 * one, else new.
 */
export function readRequestId(request: Request, header: string | null, random: Random): string {
  const inherited = header ? request.headers.get(header) : null
  return inherited && isRequestId(inherited) ? inherited : random.uuid()
}
