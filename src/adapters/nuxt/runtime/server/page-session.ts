import { AuthError } from 'latchkey'
import type { PageSession } from 'latchkey/cookies'
import { getRouteRules } from '#imports'
import { openSession } from './open-session.ts'
import type { ServerEvent } from './server-event.ts'

/** What pages that are rendered ask of the server, which they do not import. */
export interface PageDoor {
  /** What a page gets to know of the session; undefined where it is rendered for everybody. */
  session(event: ServerEvent): Promise<PageSession | null | undefined>
  /** Trades the code of a link or a provider, in the URL, for a session: whether one began. Its cookies are set. */
  finishSignIn(event: ServerEvent): Promise<boolean>
}

export const pageDoor: PageDoor = { session: pageSession, finishSignIn }

async function pageSession(event: ServerEvent): Promise<PageSession | null | undefined> {
  const { cache, isr, prerender } = getRouteRules(event)
  if (cache || isr || prerender) return undefined
  const opening = openSession(event)
  // The page that tells of an error is rendered by a request of its own, which may meet the same error.
  const session = await (isErrorPage(event) ? opening.catch(() => undefined) : opening)
  return session?.forPage()
}

async function finishSignIn(event: ServerEvent): Promise<boolean> {
  const { searchParams } = new URL(event.path, 'http://own.invalid')
  const code = searchParams.get('code')
  if (!code) return false
  const session = await openSession(event)
  try {
    await session.exchangeCode(code, searchParams.get('sb_flow_id'))
    return true
  } catch (error) {
    // A code that is spent, or that another browser asked for: the person signs in.
    if (error instanceof AuthError) return false
    throw error
  }
}

const isErrorPage = ({ path }: ServerEvent): boolean => path.startsWith('/__nuxt_error')
