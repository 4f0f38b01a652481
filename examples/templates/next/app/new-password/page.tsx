import { requireUser } from '../../session'
import { setPassword } from '../actions'
import { Form } from '../form'

export default async function NewPassword() {
  const { user } = await requireUser()
  return (
    <main>
      <h1>New password of {user.email}</h1>
      <Form action={setPassword} label="Set password">
        <label>
          Password <input name="password" type="password" autoComplete="new-password" required />
        </label>
      </Form>
    </main>
  )
}
