import { renewSession } from 'latchkey/next'
import { type NextRequest, NextResponse } from 'next/server'
import { sessions } from './auth'

export const proxy = (request: NextRequest) =>
  renewSession(sessions, request, (session, headers) => {
    if (!session && request.nextUrl.pathname.startsWith('/profile'))
      return NextResponse.redirect(new URL('/sign-in', request.url))
    return NextResponse.next({ request: { headers } })
  })

// All pages that show the user, and no files.
export const config = { matcher: '/((?!auth/|_next/|.*\\..*).*)' }
