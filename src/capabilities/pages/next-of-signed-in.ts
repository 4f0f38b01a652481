import { AuthError } from '../../platform/errors/auth-error.ts'
import { againOf, type PageRequest, pathTo, targetOf } from './page-request.ts'

/**
 * Returns the page that a signed-in user is redirected to: the target, or the page of the second
 * factor that the session lacks. A page of an application that requires a sign-in continues one
 * that waits for its second factor. Null without a user, as stored, and for a step-up.
 */
export async function nextOfSignedIn(page: PageRequest): Promise<string | null> {
  if (againOf(page).again) return null
  const { main, pending } = await page.sessions()
  if (!main.viewer) {
    const continues = pending.viewer !== null && page.redirectTo !== undefined
    return continues ? pathTo(page, '/second-factor') : null
  }
  try {
    await main.requireUser()
    return targetOf(page)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    return error.code === 'insufficient_aal' ? pathTo(page, '/second-factor') : null
  }
}
