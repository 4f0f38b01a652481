import { requireUser } from '../../session'
import { verify } from '../actions'
import { Form } from '../form'

export default async function Verify() {
  const { user } = await requireUser({ aal: 1 })
  const factor = user.factors.find(({ status }) => status === 'verified')
  return (
    <Form action={verify} label="Verify">
      <p>Enter the code of your authenticator app.</p>
      <input name="factorId" type="hidden" value={factor?.id} />
      <input name="code" inputMode="numeric" placeholder="Code" required />
    </Form>
  )
}
