/**
 * The callers that an endpoint accepts: any client, a client with a user's access token, or an
 * operator. The published types refer to it, so this file imports nothing.
 */
export type EndpointCaller = 'anyone' | 'user' | 'operator'
