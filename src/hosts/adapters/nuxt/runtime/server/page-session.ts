import { AuthError } from 'latchkey'
import { getRouteRules } from '#imports'
import { openSession } from './open-session.ts'
import { isErrorPage, type PageEvents } from './server-event.ts'

export const pageSession: PageEvents['session'] = async (event) => {
  const { cache, isr, prerender } = getRouteRules(event)
  if (cache || isr || prerender) return undefined
  const opening = openSession(event)
  // The page that tells of an error is rendered by a request of its own, which may meet the same error.
  const session = await (isErrorPage(event) ? opening.catch(() => undefined) : opening)
  return session?.forPage()
}

export const finishSignIn: PageEvents['finishSignIn'] = async (event) => {
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
