/** The part of oidc-provider that tests use: the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Context {
    oidc: {
      client: { clientId: string }
      session: { accountId: string }
      params: { scope: string }
      provider: Provider
    }
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (of: {
      clientId: string
      accountId: string
    }) => Grant
    callback(): RequestListener
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>
    on(event: string, listener: (...given: unknown[]) => void): this
  }

  export type { Context, Grant }
}
