'use client'

import { AuthClient, type GoTrueClient } from '@supabase/auth-js'
import { type PageSession, pageClientOptions } from 'latchkey/client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

let made: GoTrueClient | undefined

/** One client for all pages of a window. It is not created during rendering on the server. */
const clientOf = (session: PageSession | null) =>
  (made ??= new AuthClient(pageClientOptions({ session })))

/** Signs out, and renders the page again after a sign-in or sign-out, also in another tab. */
export function Account({ session }: { session: PageSession | null }) {
  const router = useRouter()
  const shown = session?.user.id
  useEffect(() => {
    const { data } = clientOf(session).onAuthStateChange((_event, now) => {
      if (now?.user.id !== shown) router.refresh()
    })
    return () => data.subscription.unsubscribe()
  }, [session, shown, router])
  if (!session) return null
  return (
    <button type="button" onClick={() => clientOf(session).signOut({ scope: 'local' })}>
      Sign out
    </button>
  )
}
