declare const page: { session: import('latchkey/client').PageSession | null }
import { AuthClient } from '@supabase/auth-js'
import { pageClientOptions } from 'latchkey/client'

const client = new AuthClient(pageClientOptions({ basePath: '/auth', session: page.session }))

export {}
