import { AuthError } from 'latchkey'
import { getRouteRules } from '#imports'
import { openSession } from './open-session.ts'
import { isErrorPage, type PageEvents } from './server-event.ts'

export const pageSession: PageEvents['session'] = async (event) => {
  const { cache, isr, prerender } = getRouteRules(event)
  if (cache || isr || prerender) return undefined
  const opening = openSession(event)
  // The error page is rendered by a separate request, which may fail with the same error.
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
    // The code was used, or belongs to another browser: the user has to sign in.
    if (error instanceof AuthError) return false
    throw error
  }
}
