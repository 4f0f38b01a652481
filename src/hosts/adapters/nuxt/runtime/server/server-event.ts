import type { PageSession } from 'latchkey/cookies'

/** The members of an h3 event that are used. */
export interface ServerEvent {
  readonly path: string
  readonly context: object
  readonly node: {
    readonly req: {
      readonly method?: string | undefined
      readonly headers: { [name: string]: string | string[] | undefined }
      /** The context of the event that sent this request, if the server itself sent it. */
      readonly __unenv__?: object | undefined
    }
    readonly res: { readonly headersSent: boolean }
  }
}

/** An event with the members that this module adds. */
export interface NotedEvent extends ServerEvent {
  readonly context: { latchkey?: PageEvents }
}

/** The functions that pages find on the event of their request. */
export interface PageEvents {
  /** Returns the page's session; undefined if it is rendered for all visitors. */
  session(event: ServerEvent): Promise<PageSession | null | undefined>
  /**
   * Exchanges the code of a link or a provider, in the URL, for a session, and sets its cookies.
   * Returns whether a session was created.
   */
  finishSignIn(event: ServerEvent): Promise<boolean>
  /** Marks a response as private to the user. */
  keepPrivate(event: ServerEvent): void
}

/** Reports whether this is the request by which Nuxt renders the error page. */
export const isErrorPage = ({ path }: ServerEvent): boolean => path.startsWith('/__nuxt_error')

const known = new WeakMap<object, ServerEvent>()

/** Records an event. Must be called when it begins. */
export const noteEvent = (event: ServerEvent): void => {
  known.set(event.context, event)
}

/**
 * Returns the event on whose behalf the server sent this request, by `event.$fetch` or `useFetch`.
 * Undefined if there is none, or if the request has other cookies than the browser's.
 */
export function outerOf({ node: { req } }: ServerEvent): ServerEvent | undefined {
  const outer = req.__unenv__ && known.get(req.__unenv__)
  const isSame = outer?.node.req.headers['cookie'] === req.headers['cookie']
  return isSame ? outer : undefined
}
