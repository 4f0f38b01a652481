import { redirect } from 'next/navigation'
import { getSession } from '../../session'
import { verify } from '../actions'
import { Form } from '../form'

export default async function Verify() {
  const session = await getSession()
  if (!session.viewer) redirect('/sign-in')
  const { factors } = await session.api.getUser()
  const factor = factors.find(({ status }) => status === 'verified')
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
