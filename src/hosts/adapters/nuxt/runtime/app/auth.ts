import {
  abortNavigation,
  createError,
  defineNuxtRouteMiddleware,
  navigateTo,
  useError,
  useNuxtApp,
  useRequestURL,
  useRuntimeConfig,
} from '#imports'
import options from '#latchkey/options'
import { currentSession } from './session-state.ts'

/**
 * `definePageMeta({ middleware: 'auth' })`: a page for signed-in users. The endpoints that return
 * data must check the session themselves.
 */
export default defineNuxtRouteMiddleware(async (to) => {
  // The error page is rendered in place of this one.
  if (import.meta.server && useError().value) return
  const app = useNuxtApp()
  const session = await currentSession()
  if (session) return
  const event = app.ssrContext?.event
  // From a cache, signed-in users would be redirected to the sign-in page as well, and back.
  event?.context.latchkey?.keepPrivate(event)
  // The client of the page would do this, but the target of a link or provider is not rendered
  // before.
  if (event && session === null && (await event.context.latchkey?.finishSignIn(event))) {
    const { code: _, sb_flow_id: __, ...query } = to.query
    return app.runWithContext(() => navigateTo({ path: to.path, query }))
  }
  return app.runWithContext(() =>
    import.meta.server && session === undefined
      ? abortNavigation(renderedForAll(to.path))
      : navigateTo(...signInAt(to.fullPath)),
  )
})

/**
 * Returns the target for visitors without a session: a page of the application, or one of the
 * service, whose query has another name.
 */
function signInAt(path: string): Parameters<typeof navigateTo> {
  const { signInPath, basePath } = options
  const isOfService = signInPath.startsWith(`${basePath}/`)
  if (!isOfService) return [{ path: signInPath, query: { redirect: path } }]
  const { baseURL } = useRuntimeConfig().app
  const base = baseURL.replace(/\/$/, '')
  const target = new URL(`${base}${path}`, useRequestURL())
  const query = new URLSearchParams({ redirect_to: target.href })
  return [`${base}${signInPath}?${query}`, { external: true }]
}

/**
 * Returns the error for a page that is rendered once for all visitors: redirecting all of them
 * would be as wrong as showing the page to all.
 */
function renderedForAll(path: string): Error {
  const message = `${path} has the middleware auth, and is rendered once for all visitors`
  // For an error during prerendering, Nitro prints only the status message.
  return createError({ statusCode: 500, message, statusMessage: message, fatal: true })
}
