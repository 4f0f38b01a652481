'use client'

import { useActionState } from 'react'
import { confirm, signUp } from '../actions'

export default function SignUp() {
  const [asked, ask, isAsking] = useActionState(signUp, {})
  return asked.email ? (
    <Confirm email={asked.email} />
  ) : (
    <form action={ask}>
      <input name="email" type="email" placeholder="Email" required />
      <input name="password" type="password" placeholder="Password" required />
      <button type="submit" disabled={isAsking}>
        Sign up
      </button>
      <p role="alert">{asked.problem}</p>
    </form>
  )
}

function Confirm({ email }: { email: string }) {
  const [state, submit, isPending] = useActionState(confirm, {})
  return (
    <form action={submit}>
      <p>We have sent a code to {email}.</p>
      <input name="email" type="hidden" value={email} />
      <input name="code" inputMode="numeric" placeholder="Code" required />
      <button type="submit" disabled={isPending}>
        Confirm
      </button>
      <p role="alert">{state.problem}</p>
    </form>
  )
}
