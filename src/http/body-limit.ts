import type { H3Event } from 'h3'
import { bodyTooLarge } from '../errors/request-errors.ts'

/** A larger body is refused, whether or not it says its length. */
export const maxBodyBytes = 1_048_576

/** All that a request says where no metadata comes along. */
export const maxPlainBodyBytes = 16_384

/** Refuses by its declared length a body that nobody may send. Whatever reads a body counts it. */
export function limitBody({ req }: H3Event): void {
  if (Number(req.headers.get('content-length') ?? 0) > maxBodyBytes) {
    throw bodyTooLarge(maxBodyBytes)
  }
}
