import type { MiddlewareHandler } from 'astro'
import { sessionMiddleware } from 'latchkey/astro'
import { sessions } from './auth.ts'

export const onRequest: MiddlewareHandler = sessionMiddleware(sessions)
