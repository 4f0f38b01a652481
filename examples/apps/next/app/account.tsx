'use client'

import { AuthClient } from '@supabase/auth-js'
import { type PageSession, pageClientOptions } from 'latchkey/client'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'

/** Signs out, and has the page rendered anew once somebody signs in or out, be it in another tab. */
export function Account({ session }: { session: PageSession | null }) {
  const router = useRouter()
  const [client] = useState(() => new AuthClient(pageClientOptions({ session })))
  const shown = session?.user.id
  useEffect(() => {
    const { data } = client.onAuthStateChange((_event, now) => {
      if (now?.user.id !== shown) router.refresh()
    })
    return () => data.subscription.unsubscribe()
  }, [client, router, shown])
  if (!session) return null
  return (
    <button type="button" onClick={() => client.signOut({ scope: 'local' })}>
      Sign out
    </button>
  )
}
