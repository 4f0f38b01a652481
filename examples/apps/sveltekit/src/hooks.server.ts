import { handleSession } from 'latchkey/sveltekit'
import { sessions } from './auth.ts'

export const handle = handleSession(sessions)
