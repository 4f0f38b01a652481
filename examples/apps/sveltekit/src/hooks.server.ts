import type { Handle } from '@sveltejs/kit/hooks'
import { handleSession } from 'latchkey/sveltekit'
import { sessions } from './auth.ts'

export const handle: Handle = handleSession(sessions)
