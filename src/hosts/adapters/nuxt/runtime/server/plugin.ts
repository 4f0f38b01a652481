import { AuthError } from 'latchkey'
import { defineNitroPlugin, getRouteRules } from '#imports'
import { keepPrivate, openSession, setPrivate } from './open-session.ts'
import { isErrorPage, noteEvent, type PageEvents } from './server-event.ts'
import { sessions } from './sessions.ts'

export default defineNitroPlugin(({ hooks }) => {
  if (import.meta.prerender) return
  // Invalid settings are reported when the server starts, not at the first request.
  const { auth } = sessions()
  hooks.hook('request', (event) => {
    event.context.latchkey = { session: pageSession, finishSignIn, keepPrivate }
    noteEvent(event)
    // Its headers replace the headers of the failed response, which may contain data of a user.
    if (isErrorPage(event)) keepPrivate(event)
  })
  hooks.hook('beforeResponse', setPrivate)
  hooks.hook('close', () => auth.close())
})

const pageSession: PageEvents['session'] = async (event) => {
  const { cache, isr, prerender } = getRouteRules(event)
  if (cache || isr || prerender) return undefined
  const opening = openSession(event)
  // The error page is rendered by a separate request, which may fail with the same error.
  const session = await (isErrorPage(event) ? opening.catch(() => undefined) : opening)
  return session?.forPage()
}

const finishSignIn: PageEvents['finishSignIn'] = async (event) => {
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
