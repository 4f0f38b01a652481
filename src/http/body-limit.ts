import { bodyLimit, type H3 } from 'h3'
import { bodyTooLarge } from '../errors/request-errors.ts'

/** A larger body is refused, whether or not it says its length. */
export const maxBodyBytes = 1_048_576

/**
 * Bounds what is read of a body. Node holds a sender to the length that was declared, so there only a
 * body without one has to be counted as it comes.
 */
export function limitBodies(app: H3): void {
  const countBytes = bodyLimit(maxBodyBytes)
  app.use((event, next) => {
    const { headers, runtime } = event.req
    if (runtime?.name !== 'node' || headers.has('transfer-encoding')) return countBytes(event, next)
    if (Number(headers.get('content-length') ?? 0) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes)
    return next()
  })
}
