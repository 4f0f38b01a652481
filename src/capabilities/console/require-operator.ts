import { hasVerifiedFactor, type User } from '../../accounts/users/user.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { requiredEnrollment } from '../../hosts/cookie-sessions/required-step.ts'
import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { requireStepUp } from '../../service/api/step-up.ts'
import type { Viewer } from '../../service/api/viewer.ts'
import { type PageRequest, pathTo, redirectTo } from '../pages/page-request.ts'

export interface ConsoleUser {
  user: User
  claims: AccessTokenClaims
  /** Whether the user may change anything; false for a viewer. */
  mayChange: boolean
}

/** The maximum age of the factor proof. */
const withinSeconds = 3_600

/**
 * Returns the operator or viewer of a request, or a redirect to the step that is missing: sign-in,
 * enrollment of a factor, or its proof. Each request reads user and session, so a user without the
 * role is rejected at the next one. A trusted device proves no factor.
 *
 * @param back the URL of the console that the steps return to.
 * @throws AuthError `not_admin` (403) for a user without a role of the console.
 */
export async function requireConsoleUser(
  page: PageRequest,
  back: string,
): Promise<ConsoleUser | Answer> {
  const steps = { redirect_to: back }
  const viewer = await findViewer(page)
  if (viewer === null) return redirectTo(pathTo(page, '/sign-in', steps))
  const { user, aal, claims } = viewer
  const { config, clock } = page.host.deps
  const mayChange = requireConsoleRole(config, user.role)
  const hasFactor = hasVerifiedFactor(user)
  if (!hasFactor) {
    return redirectTo(pathTo(page, '/account/security', { ...steps, ...requiredEnrollment }))
  }
  try {
    const shown = { claims, isStrong: aal === 'aal2', hasFactor }
    requireStepUp({ aal: 2, withinSeconds }, shown, clock.now())
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    page.pre.notice = 'notice.stepUp'
    return redirectTo(
      error.details.stepUp === 'sign_in'
        ? pathTo(page, '/sign-in', { ...steps, again: '1' })
        : pathTo(page, '/second-factor', steps),
    )
  }
  return { user, claims, mayChange }
}

/** Returns the signed-in user as stored; null without a live session. */
async function findViewer(page: PageRequest): Promise<Viewer | null> {
  const { main } = await page.sessions()
  if (!main.viewer) return null
  try {
    return await main.requireUser({ aal: 1 })
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) return null
    throw error
  }
}

/** Returns whether the role may change anything. */
function requireConsoleRole(
  { jwt, console: { viewerRoles } }: Pick<Config, 'jwt' | 'console'>,
  role: string,
): boolean {
  if (jwt.adminRoles.includes(role)) return true
  if (viewerRoles.includes(role)) return false
  throw notPermitted()
}

/** The caller has no role of the console, or may only read. */
export const notPermitted = (): AuthError =>
  new AuthError('not_admin', 403, 'Only operators may do this')
