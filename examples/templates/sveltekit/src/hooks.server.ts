import { handleSession } from 'latchkey/sveltekit'
import { building } from '$app/env'
import { auth, sessions } from './auth.ts'

export const handle = handleSession(sessions)

/** Opens the database when the server starts, so that no user waits for it. */
export async function init(): Promise<void> {
  if (!building) await auth.ready()
}
