'use client'

import { useActionState } from 'react'
import { signIn } from '../actions'

export default function SignIn() {
  const [state, submit, isPending] = useActionState(signIn, {})
  return (
    <form action={submit}>
      <input name="email" type="email" placeholder="Email" required />
      <input name="password" type="password" placeholder="Password" required />
      <button type="submit" disabled={isPending}>
        Sign in
      </button>
      <p role="alert">{state.problem}</p>
    </form>
  )
}
