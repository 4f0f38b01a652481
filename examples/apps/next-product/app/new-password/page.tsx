import { requireUser } from '../../session'
import { setPassword } from '../actions'
import { Form } from '../form'

export default async function NewPassword() {
  const { user } = await requireUser()
  return (
    <Form action={setPassword} label="Set password">
      <p>The new password of {user.email}</p>
      <input name="password" type="password" placeholder="Password" required />
    </Form>
  )
}
