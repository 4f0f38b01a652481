import { AuthClient } from '@supabase/auth-js'

const client = new AuthClient({ url: 'https://app.example.com/auth' })
const { data, error } = await client.signInWithPassword({
  email: 'ada@example.com',
  password: 'correct horse',
})

export {}
