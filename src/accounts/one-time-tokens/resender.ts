/**
 * Returns the requester of a message that a client without a session requested again. It differs
 * from the client itself, so that the message replaces none that the signed-in requester was sent.
 *
 * @param requester the client; null for clients that cannot be distinguished.
 */
export const resenderOf = (requester: string | null): string =>
  requester === null ? anyResender : `${anyResender}:${requester}`

/** Returns the client of a stored requester, also of {@link resenderOf}. */
export const clientOfRequester = (requester: string | null): string | null =>
  requester?.startsWith(`${anyResender}:`) ? requester.slice(anyResender.length + 1) : requester

/** All clients that cannot be distinguished. No client has this digest. */
const anyResender = 'resend'
