import { handleSession } from 'latchkey/sveltekit'
import { auth, sessions } from './auth.ts'

export const handle = handleSession(sessions)

// The connections to the database would keep the process alive after the server has stopped.
process.once('sveltekit:shutdown', () => auth.close())
