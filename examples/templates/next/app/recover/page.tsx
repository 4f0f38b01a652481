'use client'

import { recover } from '../actions'
import { Form } from '../form'

export default function Recover() {
  return (
    <main>
      <h1>Forgot your password?</h1>
      <Form
        action={recover}
        label="Send a link"
        next={({ email }) => <p>If {email} has an account, we have sent a link to it.</p>}
      >
        <label>
          Email <input name="email" type="email" autoComplete="username" required />
        </label>
      </Form>
    </main>
  )
}
