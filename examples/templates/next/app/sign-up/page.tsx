import { signUp } from '../actions'
import { EmailField, Form } from '../form'

export default function SignUp() {
  return (
    <main>
      <h1>Sign up</h1>
      <Form action={signUp} label="Sign up">
        <EmailField />
        <label>
          Password <input name="password" type="password" autoComplete="new-password" required />
        </label>
      </Form>
    </main>
  )
}
