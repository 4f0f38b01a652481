import Link from 'next/link'
import { hasGithub } from '../../auth'
import { signIn, signInWithGithub } from '../actions'
import { EmailField, Form } from '../form'

const problems = new Map([
  [
    'flow_state_not_found',
    'If you confirmed your address, that worked: sign in here. To set a new password, open the link in the browser in which you requested it.',
  ],
  ['otp_expired', 'This link was used already or has expired. Sign in, or request a new one.'],
])

export default async function SignIn({ searchParams }: PageProps<'/sign-in'>) {
  const { error_code: code } = await searchParams
  const problem = problems.get(String(code)) ?? `That did not work (${code}). Please try again.`
  return (
    <main>
      <h1>Sign in</h1>
      {code && <p role="status">{problem}</p>}
      <Form action={signIn} label="Sign in">
        <EmailField />
        <label>
          Password{' '}
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
      </Form>
      {hasGithub && <Form action={signInWithGithub} label="Sign in with GitHub" />}
      <Link href="/recover">Forgot your password?</Link>
    </main>
  )
}
