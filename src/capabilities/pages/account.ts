import { needsAal2, type User } from '../../accounts/users/user.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { type PageRequest, pathTo, redirectTo, returnTo } from './page-request.ts'

/** The signed-in user of a page. */
export interface Account {
  user: User
  accessToken: string
  sessionId: string | null
}

/**
 * Returns the signed-in user, as stored, or a redirect: to the sign-in, or to the second factor of
 * a session that lacks it. Both return to the page.
 */
export async function requireAccount(page: PageRequest, path: string): Promise<Account | Answer> {
  const { main } = await page.sessions()
  const back = { redirect_to: returnTo(page, path) }
  const toSignIn = () => redirectTo(pathTo(page, '/sign-in', back))
  if (!main.viewer) return toSignIn()
  const { accessToken } = main.viewer
  try {
    const { user, aal, sessionId } = await main.requireUser({ aal: 1 })
    if (needsAal2(user, aal)) return redirectTo(pathTo(page, '/second-factor', back))
    return { user, accessToken, sessionId }
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) return toSignIn()
    throw error
  }
}

/**
 * Returns the access token of the session, for an action of the account. Like the page of its form,
 * the action requires the second factor that the user has.
 *
 * @throws AuthError `session_not_found` (403) without a session; `insufficient_aal` (403) before
 *   the second factor.
 */
export async function requireToken(page: PageRequest): Promise<string> {
  const { main } = await page.sessions()
  if (!main.viewer) throw new AuthError('session_not_found', 403, 'There is no session')
  const { accessToken } = main.viewer
  await main.requireUser()
  return accessToken
}
