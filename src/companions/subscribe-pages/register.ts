import type { H3, H3Event } from 'h3'
import type { CompanionHost } from '../../companion-door.ts'
import type { AuthContext } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'

/** Has requests to a path answered. */
export type Register = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  answer: (event: H3Event, ctx: AuthContext) => unknown,
) => void

/** The same below each of several paths. */
export const registerBelow =
  (app: H3, basePaths: readonly string[], { deps }: CompanionHost): Register =>
  (method, path, answer) => {
    for (const base of basePaths) {
      app.on(method, base + path, (event) => answer(event, openContext(deps, event)))
    }
  }

/** Below which the paths are unless it is said otherwise. */
export const usualBasePaths: readonly string[] = ['/api/v2', '']

/** Whether a URL is below one of those, in a server that answers others as well: with or without an endpoint there. */
export const ownsPath = (url: string): boolean =>
  URL.canParse(url) &&
  /^\/(api\/v2|subscribe-pages|sessions|lists)(\/|$)/.test(new URL(url).pathname)
