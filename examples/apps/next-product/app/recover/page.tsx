'use client'

import { recover } from '../actions'
import { Form } from '../form'

export default function Recover() {
  return (
    <Form
      action={recover}
      label="Send a link"
      next={({ email }) => <p>If {email} has an account, we have sent a link to it.</p>}
    >
      <input name="email" type="email" placeholder="Email" required />
    </Form>
  )
}
