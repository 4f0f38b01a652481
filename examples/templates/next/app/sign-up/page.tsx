'use client'

import { confirm, signUp } from '../actions'
import { Form } from '../form'

export default function SignUp() {
  const confirmation = ({ email }: { email?: string }) => (
    <Form action={confirm} label="Confirm">
      <p>Open the link that we have sent to {email}, or enter its code.</p>
      <input name="email" type="hidden" value={email} />
      <label>
        Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
      </label>
    </Form>
  )
  return (
    <main>
      <h1>Sign up</h1>
      <Form action={signUp} label="Sign up" next={confirmation}>
        <label>
          Email <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autoComplete="new-password" required />
        </label>
      </Form>
    </main>
  )
}
