import { createVueAuth } from 'latchkey/vue'
import { defineNuxtPlugin, useRuntimeConfig } from '#imports'
import options from '#latchkey/options'
import { joinPaths } from '../join-paths.ts'
import { clientOf, providedState, sessionState, toPageSession } from './session-state.ts'

export default defineNuxtPlugin({
  name: 'latchkey',
  enforce: 'pre',
  async setup(app) {
    const state = sessionState()
    const isServer = app.ssrContext !== undefined
    if (app.ssrContext) {
      const { event } = app.ssrContext
      const session = await event.context.latchkey?.session(event)
      state.value = session && toPageSession(session)
    }
    const auth = createVueAuth(
      {
        client: clientOf(app),
        basePath: joinPaths(useRuntimeConfig().app.baseURL, options.basePath),
      },
      providedState(),
    )
    app.vueApp.use(auth)
    if (isServer) return
    // Until hydration ends, the page shows the server's state, since Vue would otherwise find a
    // mismatch.
    let isFollowing = false
    app.hook('app:suspense:resolve', () => {
      if (!isFollowing) auth.follow()
      isFollowing = true
    })
  },
})
