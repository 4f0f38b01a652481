import { type Mountable, serviceOf } from './mountable.ts'

export type { Mountable, MountedService } from './mountable.ts'

/** What `@tanstack/react-start/server` tells of the request that is being answered. */
export interface TanStackStartHost {
  getRequestIP(): string | undefined
}

/** The `server.handlers` of a route. */
export interface TanStackStartHandlers {
  ANY(context: { readonly request: Request }): Promise<Response>
}

/**
 * Mounts Latchkey in TanStack Start: the handlers of the route `/auth/$`, where `basePath` is `/auth`.
 *
 * @param host `getRequestIP` of `@tanstack/react-start/server`, which is that of the connection.
 * @example
 * export const Route = createFileRoute('/auth/$')({
 *   server: { handlers: toTanStackStart(sessions, { getRequestIP }) },
 * })
 */
export function toTanStackStart(
  service: Mountable,
  { getRequestIP }: TanStackStartHost,
): TanStackStartHandlers {
  return {
    ANY: ({ request }) => serviceOf(service).fetch(request, { ip: getRequestIP() }),
  }
}
