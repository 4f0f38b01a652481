import {
  abortNavigation,
  createError,
  defineNuxtRouteMiddleware,
  navigateTo,
  useError,
  useNuxtApp,
} from '#imports'
import options from '#latchkey/options'
import { currentSession } from './session-state.ts'

/** `definePageMeta({ middleware: 'auth' })`: a page for those who are signed in. Data is protected where it is given out. */
export default defineNuxtRouteMiddleware(async (to) => {
  // The page that tells of an error is rendered in its place.
  if (import.meta.server && useError().value) return
  const app = useNuxtApp()
  const session = await currentSession()
  if (session) return
  const event = app.ssrContext?.event
  // From a cache, those who are signed in would be sent to the sign-in as well, and back.
  event?.context.latchkey?.keepPrivate(event)
  // The client of the page would do so, but the page that a link or a provider leads back to is not shown before.
  if (event && session === null && (await event.context.latchkey?.finishSignIn(event))) {
    const { code: _, sb_flow_id: __, ...query } = to.query
    return app.runWithContext(() => navigateTo({ path: to.path, query }))
  }
  return app.runWithContext(() =>
    import.meta.server && session === undefined
      ? abortNavigation(renderedForAll(to.path))
      : navigateTo({ path: options.signInPath, query: { redirect: to.fullPath } }),
  )
})

/** To send all visitors away, because the first was not signed in, would be as wrong as to let all of them in. */
function renderedForAll(path: string): Error {
  const message = `${path} has the middleware auth, and is rendered once for all visitors`
  // Of an error while pages are prerendered, Nitro tells the latter alone.
  return createError({ statusCode: 500, message, statusMessage: message, fatal: true })
}
