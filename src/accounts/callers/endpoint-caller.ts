/** The callers that an endpoint accepts: any client, a client with a user's access token, or an operator. */
export type EndpointCaller = 'anyone' | 'user' | 'operator'
