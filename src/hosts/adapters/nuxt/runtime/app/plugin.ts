import { defineNuxtPlugin } from '#imports'
import { clientOf, currentSession, sessionState, toPageSession } from './session-state.ts'

/** What a browser has and a server has not. */
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
      // The server may have signed somebody in or out by a form in another tab.
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') void app.runWithContext(currentSession)
      })
    }
    // Until the page is alive it shows what the server knew, or Vue would find another page than the server's.
    app.hook('app:suspense:resolve', follow)
  },
})
