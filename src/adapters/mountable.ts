import type { RequestOptions } from '../http/request-options.ts'

/** What answers the wire: `auth`, or the sessions of `latchkey/cookies`. */
export interface MountedService {
  fetch(request: Request, options?: RequestOptions): Promise<Response>
  readonly basePath: string
}

/** The service, or what makes it at the first request: builds load modules without the settings of production. */
export type Mountable<Service = MountedService> = Service | (() => Service)

export const serviceOf = <Service extends object>(mountable: Mountable<Service>): Service =>
  typeof mountable === 'function' ? mountable() : mountable
