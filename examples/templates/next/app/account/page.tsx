import Link from 'next/link'
import { requireUser } from '../../session'
import { signOut, signOutEverywhere } from '../actions'
import { Form } from '../form'

/** A page for signed-in users only. */
export default async function Account() {
  const { user } = await requireUser()
  return (
    <main>
      <h1>Your account</h1>
      <p>{`You are signed in as ${user.email}.`}</p>
      <p>
        <Link href="/new-password">Change the password</Link>{' '}
        <Link href="/enroll">Add a second factor</Link>
      </p>
      <Form action={signOut} label="Sign out" />
      <Form action={signOutEverywhere} label="Sign out everywhere" />
    </main>
  )
}
