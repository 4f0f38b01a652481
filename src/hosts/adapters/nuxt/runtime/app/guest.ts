import { defineNuxtRouteMiddleware, navigateTo, useNuxtApp } from '#imports'
import options from '#latchkey/options'
import { ownPath } from './own-path.ts'
import { currentSession } from './session-state.ts'

/** `definePageMeta({ middleware: 'guest' })`: a page for those who are not signed in. Others go to where they came from. */
export default defineNuxtRouteMiddleware(async (to) => {
  const app = useNuxtApp()
  if (!(await currentSession())) return
  const target = ownPath(to.query['redirect'], options)
  return app.runWithContext(() => navigateTo(target, { replace: true }))
})
