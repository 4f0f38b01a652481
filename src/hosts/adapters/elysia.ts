import { peerOfServer } from '../../platform/http/peer.ts'
import type { Auth } from '../../service/api/auth.ts'

/** The part of Elysia's context that is used. */
export interface ElysiaContext {
  readonly request: Request
  /** Bun's server; on Node the request contains the address of the client. */
  readonly server?: {
    requestIP?(request: Request): { readonly address: string } | null
  } | null
}

/** The part of an Elysia app that is used. */
export interface ElysiaApp {
  all(
    path: string,
    handler: (context: ElysiaContext) => Promise<Response>,
    hooks: { parse: 'none' },
  ): unknown
}

/** A plugin for `app.use`. */
export type ElysiaPlugin = <App extends ElysiaApp>(app: App) => App

/**
 * Mounts Latchkey in Elysia, on Bun and on Node, below `basePath`.
 *
 * @example new Elysia().use(toElysia(auth))
 */
export function toElysia(auth: Pick<Auth, 'fetch' | 'basePath'>): ElysiaPlugin {
  const answer = ({ request, server }: ElysiaContext): Promise<Response> => {
    const ip = peerOfServer(server, request)
    return auth.fetch(request, ip === undefined ? {} : { ip })
  }
  return (app) => {
    // Bodies are not parsed.
    app.all(`${auth.basePath}/*`, answer, { parse: 'none' })
    return app
  }
}
