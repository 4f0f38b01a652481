import type { ServerEvent } from './server-event.ts'

const known = new WeakMap<object, ServerEvent>()

/** To be told each event when it begins. */
export const noteEvent = (event: ServerEvent): void => {
  known.set(event.context, event)
}

/**
 * The event on whose behalf the server sent itself this request, by `event.$fetch` or `useFetch`. Undefined where there is none, and
 * where the request has cookies of its own: they are not those of the browser.
 */
export function outerOf({ node: { req } }: ServerEvent): ServerEvent | undefined {
  const outer = req.__unenv__ && known.get(req.__unenv__)
  const isSame = outer?.node.req.headers['cookie'] === req.headers['cookie']
  return isSame ? outer : undefined
}
