/**
 * Sends a browser on. h3's own redirect repeats the URL in a body, where tokens have no place.
 *
 * @see RFC 9110 §15.4.4
 */
export const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
