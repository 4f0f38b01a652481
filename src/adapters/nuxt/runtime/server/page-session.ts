import type { PageSession } from 'latchkey/cookies'
import { getRouteRules } from '#imports'
import { openSession } from './open-session.ts'
import type { ServerEvent } from './server-event.ts'

/** What a page that is rendered gets to know of the session; undefined where it is rendered for everybody. */
export type PageSessionOf = (event: ServerEvent) => Promise<PageSession | null | undefined>

export const pageSession: PageSessionOf = async (event) => {
  const { cache, isr, prerender } = getRouteRules(event)
  if (cache || isr || prerender) return undefined
  const opening = openSession(event)
  // The page that tells of an error is rendered by a request of its own, which may meet the same error.
  const session = await (isErrorPage(event) ? opening.catch(() => undefined) : opening)
  return session?.forPage()
}

const isErrorPage = ({ path }: ServerEvent): boolean => path.startsWith('/__nuxt_error')
