/**
 * A request as far as the service reads it: a `Request`, or the form that an adapter gives to the
 * request of its host.
 */
export interface ServiceRequest extends Pick<Request, 'method' | 'url' | 'body' | 'bodyUsed'> {
  readonly headers: Pick<Headers, 'get' | 'has'>
}
