import { getRouteRules } from '#imports'
import { isErrorPage } from './error-page.ts'
import { openSession } from './open-session.ts'
import type { PageEvents } from './server-event.ts'

export const pageSession: PageEvents['session'] = async (event) => {
  const { cache, isr, prerender } = getRouteRules(event)
  if (cache || isr || prerender) return undefined
  const opening = openSession(event)
  // The page that tells of an error is rendered by a request of its own, which may meet the same error.
  const session = await (isErrorPage(event) ? opening.catch(() => undefined) : opening)
  return session?.forPage()
}
