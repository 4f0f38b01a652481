declare const auth: import('latchkey').Auth
declare const email: string
declare const password: string
import { AuthError } from 'latchkey'

try {
  await auth.api.signInWithPassword({ email, password })
} catch (error) {
  if (!(error instanceof AuthError)) throw error // a fault, such as a lost connection
  console.log(error.code, error.status, error.message, error.details.retryAfterSeconds)
}

export {}
