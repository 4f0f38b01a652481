import { AuthError, type RequiredAssurance } from 'latchkey'
import { formActions, openSession, readSession } from 'latchkey/next'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { sessions } from './auth'

/** For server components: opened once per page. */
export const getSession = cache(() => readSession(sessions, { cookies, headers }))

/** For server actions without a form. */
export const changeSession = () => openSession(sessions, { cookies, headers })

/** Creates server actions of forms. */
export const action = formActions(sessions, { cookies, headers })

const pages = { sign_in: '/sign-in', enroll: '/enroll', verify: '/verify' }

/** Returns the stored user of a page, or redirects to the step that the page requires first. */
export async function requireUser(assurance: RequiredAssurance = {}) {
  const session = await getSession()
  try {
    return await session.requireUser(assurance)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    redirect(pages[error.details.stepUp ?? 'sign_in'])
  }
}
