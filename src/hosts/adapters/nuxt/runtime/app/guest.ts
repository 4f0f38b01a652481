import { defineNuxtRouteMiddleware, navigateTo, useNuxtApp } from '#imports'
import options from '#latchkey/options'
import { ownPath } from './own-path.ts'
import { currentSession } from './session-state.ts'

/**
 * `definePageMeta({ middleware: 'guest' })`: a page for visitors without a session. Signed-in users
 * are redirected to their previous page.
 */
export default defineNuxtRouteMiddleware(async (to) => {
  const app = useNuxtApp()
  if (!(await currentSession())) return
  const target = ownPath(to.query['redirect'], options)
  return app.runWithContext(() => navigateTo(target, { replace: true }))
})
