import type { H3, H3Event } from 'h3'
import type { Endpoint } from './endpoint.ts'

/** Has the requests to an endpoint answered with what a function returns or throws. */
export function serveEndpoint(
  app: H3,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  answer: (event: H3Event) => unknown,
): void {
  app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), answer)
}

type PathId = 'user_id' | 'factor_id' | 'passkey_id' | 'identity_id' | 'device_id'

/** An id in the path, as it was sent. */
export const readPathId = ({ context }: H3Event, name: PathId): string =>
  context.params?.[name] ?? ''
