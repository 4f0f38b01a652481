import type { Random } from '../kit/random.ts'

/** The header with the request's id in every response. */
export const requestIdHeader = 'x-request-id'

const form = /^[\w.:+/=@-]{1,128}$/

/** Reports whether a text can be the id of a request. */
export const isRequestId = (text: string): boolean => form.test(text)

/**
 * Returns the id of a request: the value of the operator's header if it is valid, else a new one.
 */
export function readRequestId(
  readHeader: (name: string) => string | null,
  header: string | null,
  random: Random,
): string {
  const inherited = header ? readHeader(header) : null
  return inherited && isRequestId(inherited) ? inherited : random.uuid()
}
