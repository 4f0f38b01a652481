import type { H3Event } from 'h3'
import { validationFailed } from '../errors/request-errors.ts'

/** The largest body that any endpoint accepts: those of operators. */
export const maxBodyBytes = 1_048_576

/** The largest body of any other endpoint: several times the metadata or the long text that it may contain. */
export const maxLargeBodyBytes = 65_536

/** The largest body of an endpoint that accepts neither metadata nor a long text. */
export const maxPlainBodyBytes = 16_384

/** As much as all headers of a request to a Node server may take, the path with its query among them. */
const maxQueryLength = 16_384

/** Refuses a query that no server of Node would let through. The length of a body is the endpoint's to limit. */
export function limitRequest({ url }: H3Event): void {
  if (url.search.length > maxQueryLength) {
    throw validationFailed(`query: longer than ${maxQueryLength} characters`, 414)
  }
}
