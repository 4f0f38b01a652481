import type { Auth } from '../../service/api/auth.ts'
import { type Lazy, unwrap } from './lazy.ts'

/** The function of `@tanstack/react-start/server` for the current request. */
export interface TanStackStartHost {
  getRequestIP(): string | undefined
}

/** The `server.handlers` of a route. */
export interface TanStackStartHandlers {
  ANY(context: { readonly request: Request }): Promise<Response>
}

/**
 * Mounts Latchkey in TanStack Start: the handlers of the route `/auth/$`, if `basePath` is `/auth`.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @param host `getRequestIP` of `@tanstack/react-start/server`, which returns the address of the
 *   connection.
 * @example
 * export const Route = createFileRoute('/auth/$')({
 *   server: { handlers: toTanStackStart(sessions, { getRequestIP }) },
 * })
 */
export function toTanStackStart(
  auth: Lazy<Pick<Auth, 'fetch'>>,
  { getRequestIP }: TanStackStartHost,
): TanStackStartHandlers {
  return {
    ANY: ({ request }) => unwrap(auth).fetch(request, { ip: getRequestIP() }),
  }
}
