import { AuthError, type Viewer } from 'latchkey'
import { formActions, readSession } from 'latchkey/next'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { sessions } from './auth'

/** For server components: opened once per page. */
export const getSession = cache(() => readSession(sessions, { cookies, headers }))

/** Creates the server actions of forms, which may sign in and out. */
export const action = formActions(sessions, { cookies, headers })

const steps = { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' }

/**
 * Returns the user of a page, whose second factor is verified if the account has one, or redirects
 * to the step that is required first.
 */
export async function requireUser(): Promise<Viewer> {
  const session = await getSession()
  try {
    const { user } = await session.requireUser()
    const hasFactor = user.factors.some(({ status }) => status === 'verified')
    return await session.requireUser(hasFactor ? { aal: 2 } : {})
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    redirect(steps[error.details.stepUp ?? 'sign_in'])
  }
}
