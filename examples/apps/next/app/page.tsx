import Link from 'next/link'
import { getSession } from '../session'
import { Account } from './account'

export default async function Home() {
  const session = await getSession()
  return (
    <main>
      <p>hello, {session.viewer?.claims.email ?? 'guest'}</p>
      <Account session={session.forPage()} />
      <nav>
        <Link href="/profile">Profile</Link> <Link href="/sign-in">Sign in</Link>{' '}
        <Link href="/sign-up">Sign up</Link>
      </nav>
    </main>
  )
}
