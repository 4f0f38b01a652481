import type { ServerEvent } from './server-event.ts'

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
