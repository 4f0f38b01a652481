declare const page: { session: import('latchkey/client').PageSession | null }
declare const email: string
declare const password: string
import { AuthClient } from '@supabase/auth-js'
import { pageClientOptions } from 'latchkey/client'

const client = new AuthClient(pageClientOptions({ basePath: '/auth', session: page.session }))

// before: authClient.signUp.email({ email, password, name })
await client.signUp({ email, password, options: { data: { full_name: 'Ada' } } })
// before: authClient.signIn.email({ email, password })
await client.signInWithPassword({ email, password })
// before: authClient.signIn.social({ provider: 'github' })
await client.signInWithOAuth({ provider: 'github' })
// before: authClient.useSession()
client.onAuthStateChange((event, session) => console.log(event, session?.user.email))
// before: authClient.requestPasswordReset({ email })
await client.resetPasswordForEmail(email)
// before: authClient.signOut()
await client.signOut()

export {}
