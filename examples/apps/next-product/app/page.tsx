import Link from 'next/link'
import { getSession } from '../session'

export default async function Home() {
  const { viewer } = await getSession()
  return (
    <main>
      <p>hello, {viewer?.claims.email ?? 'guest'}</p>
      <Link href="/account">Account</Link> <Link href="/sign-in">Sign in</Link>{' '}
      <Link href="/sign-up">Sign up</Link>
    </main>
  )
}
