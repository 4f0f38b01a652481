import Link from 'next/link'
import { getSession } from '../session'

export default async function Home() {
  const { viewer } = await getSession()
  return (
    <main>
      <h1>Hello, {viewer?.claims.email ?? 'guest'}</h1>
      {viewer ? (
        <Link href="/account">Account</Link>
      ) : (
        <p>
          <Link href="/sign-in">Sign in</Link> <Link href="/sign-up">Sign up</Link>
        </p>
      )}
    </main>
  )
}
