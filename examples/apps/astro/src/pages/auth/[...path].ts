import type { APIRoute } from 'astro'
import { toAstro } from 'latchkey/astro'
import { sessions } from '../../auth.ts'

export const ALL: APIRoute = toAstro(sessions)
