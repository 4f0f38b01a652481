import type { RequestHandler } from '@sveltejs/kit'
import { toSvelteKit } from 'latchkey/sveltekit'
import { sessions } from '../../../auth.ts'

// All methods.
export const fallback: RequestHandler = toSvelteKit(sessions)
