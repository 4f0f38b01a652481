import { toSvelteKit } from 'latchkey/sveltekit'
import { sessions } from '../../../auth.ts'
import type { RequestHandler } from './$types'

// All methods.
export const fallback: RequestHandler = toSvelteKit(sessions)
