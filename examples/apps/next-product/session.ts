import { createNextSessions } from 'latchkey/next'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { sessions } from './auth'

/** The session and the user of pages, and the actions of forms. */
export const { getSession, requireUser, action } = createNextSessions(sessions, {
  cookies,
  headers,
  redirect,
  cache,
  steps: { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' },
})
