import { renewSession } from 'latchkey/next'
import { type NextRequest, NextResponse } from 'next/server'
import { sessions } from './auth'

export const proxy = (request: NextRequest) =>
  renewSession(sessions, request, (_, headers) => NextResponse.next({ request: { headers } }))

export const config = { matcher: '/((?!auth/|_next/|.*\\..*).*)' }
