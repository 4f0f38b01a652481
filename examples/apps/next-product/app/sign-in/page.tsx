import Link from 'next/link'
import { hasProvider } from '../../auth'
import { signIn, signInWithProvider } from '../actions'
import { Form } from '../form'

export default async function SignIn({ searchParams }: PageProps<'/sign-in'>) {
  const { error_code: code } = await searchParams
  return (
    <main>
      {code && <p role="status">That did not work ({code}). Please try again.</p>}
      <Form action={signIn} label="Sign in">
        <input name="email" type="email" placeholder="Email" required />
        <input name="password" type="password" placeholder="Password" required />
      </Form>
      {hasProvider && <Form action={signInWithProvider} label="Sign in with Acme ID" />}
      <Link href="/recover">Forgot your password?</Link>
    </main>
  )
}
