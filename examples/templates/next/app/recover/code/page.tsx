import { confirmRecovery } from '../../actions'
import { Form } from '../../form'

export default async function RecoveryCode({ searchParams }: PageProps<'/recover/code'>) {
  const { email } = await searchParams
  return (
    <main>
      <h1>Check your mail</h1>
      <Form action={confirmRecovery} label="Continue">
        <p>
          If {email} has an account, we have sent a link to it. Open it in this browser, or enter
          its code.
        </p>
        <input name="email" type="hidden" value={email} />
        <label>
          Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
        </label>
      </Form>
    </main>
  )
}
