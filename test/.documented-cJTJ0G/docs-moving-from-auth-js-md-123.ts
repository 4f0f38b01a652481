declare const page: { session: import('latchkey/client').PageSession | null }
declare const email: string
import { AuthClient } from '@supabase/auth-js'
import { pageClientOptions } from 'latchkey/client'

const client = new AuthClient(pageClientOptions({ basePath: '/auth', session: page.session }))

// before: signIn('github')
await client.signInWithOAuth({ provider: 'github' })
// before: signIn('nodemailer', { email })
await client.signInWithOtp({ email })
// before: useSession()
client.onAuthStateChange((event, session) => console.log(event, session?.user.email))
// before: signOut()
await client.signOut()

export {}
