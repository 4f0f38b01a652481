import { defineNitroPlugin } from '#imports'
import { keepPrivate, sayPrivate } from './keep-private.ts'
import { noteEvent } from './outer-event.ts'
import { finishSignIn, pageSession } from './page-session.ts'
import { isErrorPage } from './server-event.ts'
import { sessions } from './sessions.ts'

export default defineNitroPlugin(({ hooks }) => {
  if (import.meta.prerender) return
  // What is wrong with its settings shows when the server starts, not when somebody first asks.
  const { auth } = sessions()
  hooks.hook('request', (event) => {
    event.context.latchkey = { session: pageSession, finishSignIn, keepPrivate }
    noteEvent(event)
    // Its headers take the place of those of the answer that failed, which may be about somebody.
    if (isErrorPage(event)) keepPrivate(event)
  })
  hooks.hook('beforeResponse', sayPrivate)
  hooks.hook('close', () => auth.close())
})
