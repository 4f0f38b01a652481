import { confirm } from '../actions'
import { Form } from '../form'

export default async function Confirm({ searchParams }: PageProps<'/confirm'>) {
  const { email } = await searchParams
  return (
    <main>
      <h1>Confirm your address</h1>
      <Form action={confirm} label="Confirm">
        <p>Open the link that we have sent to {email}, or enter its code.</p>
        <input name="email" type="hidden" value={email} />
        <label>
          Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
        </label>
      </Form>
    </main>
  )
}
