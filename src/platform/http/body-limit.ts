import type { H3Event } from 'h3'
import { validationFailed } from '../errors/request-errors.ts'

/** The largest body of any endpoint: those for operators. */
export const maxBodyBytes = 1_048_576

/** The largest body of other endpoints, several times the size of metadata or a long text. */
export const maxLargeBodyBytes = 65_536

/** The largest body of an endpoint that accepts neither metadata nor a long text. */
export const maxPlainBodyBytes = 16_384

/** The limit of a Node server for all headers, including the path and query. */
const maxQueryLength = 16_384

/**
 * Rejects a query that exceeds the limit of every Node server. Endpoints limit the length of
 * bodies.
 */
export function limitRequest({ url }: H3Event): void {
  if (url.search.length > maxQueryLength) {
    throw validationFailed(`query: longer than ${maxQueryLength} characters`, 414)
  }
}
