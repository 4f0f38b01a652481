import type { PageSession } from 'latchkey/cookies'

/** What is used of an event of h3. */
export interface ServerEvent {
  readonly path: string
  readonly context: object
  readonly node: {
    readonly req: {
      readonly method?: string | undefined
      readonly headers: { [name: string]: string | string[] | undefined }
      /** The context of the event that sent this request, where that is the server itself. */
      readonly __unenv__?: object | undefined
    }
    readonly res: { readonly headersSent: boolean }
  }
}

/** An event as this module leaves it. */
export interface NotedEvent extends ServerEvent {
  readonly context: { latchkey?: PageEvents }
}

/** What pages find at the event that they are rendered for. */
export interface PageEvents {
  /** What a page gets to know of the session; undefined where it is rendered for everybody. */
  session(event: ServerEvent): Promise<PageSession | null | undefined>
  /** Trades the code of a link or a provider, in the URL, for a session: whether one began. Its cookies are set. */
  finishSignIn(event: ServerEvent): Promise<boolean>
  /** For an answer that is that of who asks, and no other's. */
  keepPrivate(event: ServerEvent): void
}

/** Whether this is the request by which Nuxt renders the page that tells of an error. */
export const isErrorPage = ({ path }: ServerEvent): boolean => path.startsWith('/__nuxt_error')
