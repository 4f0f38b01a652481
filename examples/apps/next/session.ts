import { formActions, readSession } from 'latchkey/next'
import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import { sessions } from './auth'

/** For server components: opened once per page. */
export const getSession = cache(() => readSession(sessions, { cookies, headers }))

/** Creates the server actions of forms, which may sign in and out. */
export const action = formActions(sessions, { cookies, headers })
