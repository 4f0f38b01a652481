import { defineNuxtPlugin } from '#imports'
import { clientOf, currentSession, sessionState, toPageSession } from './session-state.ts'

/** The members of a browser that a server lacks. */
declare const document: {
  readonly visibilityState: string
  addEventListener(name: 'visibilitychange', then: () => void): void
}

export default defineNuxtPlugin({
  name: 'latchkey',
  enforce: 'pre',
  async setup(app) {
    const state = sessionState()
    if (app.ssrContext) {
      const { event } = app.ssrContext
      const session = await event.context.latchkey?.session(event)
      state.value = session && toPageSession(session)
      return
    }
    const client = clientOf(app)
    let isFollowing = false
    const follow = (): void => {
      if (isFollowing) return
      isFollowing = true
      // Sign-ins and sign-outs of this page, and of other tabs.
      client.onAuthStateChange((_event, session) => {
        state.value = toPageSession(session)
      })
      // A form in another tab may have changed the session.
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') void app.runWithContext(currentSession)
      })
    }
    // Until hydration ends, the page shows the server's state, since Vue would otherwise find a
    // mismatch.
    app.hook('app:suspense:resolve', follow)
  },
})
