import { redirect } from 'next/navigation'
import { requireUser } from '../../session'
import { verify } from '../actions'
import { Form } from '../form'

export default async function Verify() {
  const { user } = await requireUser({ aal: 1 })
  const factor = user.factors.find(({ status }) => status === 'verified')
  if (!factor) redirect('/enroll')
  return (
    <main>
      <h1>Second factor</h1>
      <Form action={verify} label="Verify">
        <p>Enter the code of your authenticator app.</p>
        <input name="factorId" type="hidden" value={factor.id} />
        <label>
          Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
        </label>
      </Form>
    </main>
  )
}
