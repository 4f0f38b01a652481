import { AuthClient } from '@supabase/auth-js'

const client = new AuthClient({ url: 'https://app.example.com/auth' })
await client.signInWithPassword({
  email: 'ada@example.com',
  password: 'correct horse',
  options: { captchaToken: 'the token of the widget' },
})

export {}
