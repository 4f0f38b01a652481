import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { needsAal2 } from '../../accounts/users/user.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { keepDevice, readDevice } from '../trusted-devices/device-cookie.ts'
import { type PageRequest, pathTo, redirectTo, targetOf } from './page-request.ts'
import { newPreSession } from './pre-session.ts'

/**
 * The parameter that distinguishes the second step of a sign-in from a step-up, in a browser that
 * has a session.
 */
export const purposeField = 'for'
export const signInPurpose = 'sign-in'

/**
 * Stores a session in the cookies of the pages, and redirects to the next page. A session without
 * the second factor that its user has is stored apart until the factor is proved: applications on
 * the same origin do not accept it.
 *
 * @param options.next the page of the next step, in place of the redirect target.
 */
export async function completeSignIn(
  page: PageRequest,
  { user, session }: IssuedSession,
  { next }: { next?: string } = {},
): Promise<Answer> {
  const { pre } = page
  const { aal } = await page.host.cookies.auth.verifyToken(session.accessToken)
  if (needsAal2(user, aal)) {
    const raised = await raiseByDevice(page, { user, session })
    if (raised === null) {
      await keepPending(page, session)
      const { main } = await page.sessions()
      const purpose = main.viewer ? { [purposeField]: signInPurpose } : {}
      return redirectTo(pathTo(page, '/second-factor', { next, ...purpose }))
    }
    return keep(page, raised.session, next)
  }
  delete pre.sent
  return keep(page, session, next)
}

/** Stores the session, ends the waiting one, and changes the secret of form tokens. */
export async function keep(
  page: PageRequest,
  session: SessionTokens,
  next?: string,
): Promise<Answer> {
  const { main, pending } = await page.sessions()
  await main.keep(session)
  pending.cookies.removeSession()
  const { language, notice } = page.pre
  page.pre = {
    ...newPreSession(page.host),
    ...(language && { language }),
    ...(notice && { notice }),
  }
  return redirectTo(next === undefined ? targetOf(page) : pathTo(page, next))
}

async function keepPending(
  page: PageRequest,
  { id: sessionId, accessToken, refreshToken }: SessionTokens,
): Promise<void> {
  const { pending } = await page.sessions()
  pending.cookies.storeSession({ sessionId, accessToken, refreshToken })
}

/** Uses a trusted device in place of the second factor; null if this browser is none. */
async function raiseByDevice(
  page: PageRequest,
  { user, session }: IssuedSession,
): Promise<IssuedSession | null> {
  const { config } = page.host.deps
  const { enabled, expirySeconds } = config.mfa.trustedDevices
  const secret = enabled ? readDevice(config, page.event, user.id) : null
  if (secret === null) return null
  try {
    const { accessToken } = session
    const used = await page.host.api.verifyTrustedDevice({ accessToken, secret }, page.options)
    const kept = { secret: used.secret, lifetimeSeconds: expirySeconds }
    page.cookies.push(keepDevice(config, user.id, kept))
    return used
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  }
}
