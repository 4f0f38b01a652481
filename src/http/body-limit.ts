import type { H3Event } from 'h3'
import { bodyTooLarge, validationFailed } from '../errors/request-errors.ts'

/** A larger body is refused, whether or not it says its length. */
export const maxBodyBytes = 1_048_576

/** All that a request says where neither metadata nor a long text comes along. */
export const maxPlainBodyBytes = 16_384

/** As much as all headers of a request to a Node server may take, the path with its query among them. */
const maxQueryLength = 16_384

/**
 * Refuses a query that no server of Node would let through, and by its declared length a body that nobody
 * may send. Whatever reads a body counts it.
 */
export function limitRequest({ req, url }: H3Event): void {
  if (url.search.length > maxQueryLength) {
    throw validationFailed(`query: longer than ${maxQueryLength} characters`, 414)
  }
  if (Number(req.headers.get('content-length') ?? 0) > maxBodyBytes) {
    throw bodyTooLarge(maxBodyBytes)
  }
}
