import { assertBodySize, type H3Event } from 'h3'
import { bodyTooLarge } from '../errors/request-errors.ts'

/** A larger body is refused, whether or not it says its length. */
export const maxBodyBytes = 1_048_576

/**
 * Bounds what is read of a body. Node holds a sender to the length that was declared, so there only a
 * body without one has to be counted as it comes.
 */
export function limitBody(event: H3Event): void {
  const { headers, runtime } = event.req
  if (runtime?.name !== 'node' || headers.has('transfer-encoding')) {
    assertBodySize(event, maxBodyBytes)
  } else if (Number(headers.get('content-length') ?? 0) > maxBodyBytes) {
    throw bodyTooLarge(maxBodyBytes)
  }
}
