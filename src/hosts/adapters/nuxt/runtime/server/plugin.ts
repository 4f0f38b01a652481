import { defineNitroPlugin } from '#imports'
import { keepPrivate, setPrivate } from './keep-private.ts'
import { finishSignIn, pageSession } from './page-session.ts'
import { isErrorPage, noteEvent } from './server-event.ts'
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
