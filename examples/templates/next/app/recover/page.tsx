import { recover } from '../actions'
import { EmailField, Form } from '../form'

export default function Recover() {
  return (
    <main>
      <h1>Forgot your password?</h1>
      <Form action={recover} label="Send a link">
        <EmailField />
      </Form>
    </main>
  )
}
