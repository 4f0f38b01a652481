import Link from 'next/link'
import { hasGithub } from '../../auth'
import { signIn, signInWithGithub } from '../actions'
import { Form } from '../form'

export default async function SignIn({ searchParams }: PageProps<'/sign-in'>) {
  const { error_code: code } = await searchParams
  return (
    <main>
      <h1>Sign in</h1>
      {code && <p role="status">That did not work ({code}). Please try again.</p>}
      <Form action={signIn} label="Sign in">
        <label>
          Email <input name="email" type="email" autoComplete="username" required />
        </label>
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
