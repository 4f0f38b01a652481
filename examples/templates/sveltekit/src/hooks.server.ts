import { handleSession } from 'latchkey/sveltekit'
import { building } from '$app/env'
import { auth, sessions } from './auth.ts'

export const handle = handleSession(sessions)

/**
 * Opens the database when the server starts, so that no user waits for it. Its connections are
 * closed when the server has stopped: otherwise the process would not end.
 */
export async function init(): Promise<void> {
  if (building) return
  process.once('sveltekit:shutdown', () => auth.close())
  await auth.ready()
}
