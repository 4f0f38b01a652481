'use client'

import { confirm, signUp } from '../actions'
import { Form } from '../form'

export default function SignUp() {
  const confirmation = ({ email }: { email?: string }) => (
    <Form action={confirm} label="Confirm">
      <p>Open the link that we have sent to {email}, or enter its code.</p>
      <input name="email" type="hidden" value={email} />
      <input name="code" inputMode="numeric" placeholder="Code" required />
    </Form>
  )
  return (
    <Form action={signUp} label="Sign up" next={confirmation}>
      <input name="email" type="email" placeholder="Email" required />
      <input name="password" type="password" placeholder="Password" required />
    </Form>
  )
}
