'use client'

import type { FormAction, FormState } from 'latchkey/next'
import Link from 'next/link'
import { type ReactNode, useActionState, useState } from 'react'

/** A form with one button. `next` replaces it once its action has a result. */
export function Form<Result extends object>({
  action,
  label,
  children,
  next,
}: {
  action: FormAction<Result>
  label: string
  children?: ReactNode
  next?: (result: Partial<Result>) => ReactNode
}) {
  const [state, submit, isPending] = useActionState(action, {} as Awaited<FormState<Result>>)
  if (next && !state.problem && Object.keys(state).length > 0) return next(state)
  return (
    <form action={submit}>
      {children}
      <button type="submit" disabled={isPending}>
        {label}
      </button>
      <p role="alert">
        {state.problem} {state.stepUpUrl && <Link href={state.stepUpUrl}>Continue</Link>}
      </p>
    </form>
  )
}

/** The field of an address, which a rejected form keeps: React resets the other fields. */
export function EmailField() {
  const [email, setEmail] = useState('')
  return (
    <label>
      Email{' '}
      <input
        name="email"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
    </label>
  )
}
