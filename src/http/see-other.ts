import { Answer } from './answer.ts'

/**
 * Sends a browser on. h3's own redirect repeats the URL in a body, where tokens have no place.
 *
 * @see RFC 9110 §15.4.4
 */
export const seeOther = (location: string): Answer =>
  new Answer(303, { location, 'cache-control': 'no-store' })
