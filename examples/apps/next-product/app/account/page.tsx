import Link from 'next/link'
import { getSession, requireUser } from '../../session'
import { deleteAccount, signOutEverywhere } from '../actions'
import { Form } from '../form'

export default async function Account() {
  const { user, aal } = await requireUser()
  const { api } = await getSession()
  const sessions = await api.listSessions()
  return (
    <main>
      <p>
        {user.email} ({aal})
      </p>
      <ul>
        {sessions.map(({ id, userAgent, ip }) => (
          <li key={id}>
            {userAgent} {ip}
          </li>
        ))}
      </ul>
      <Link href="/enroll">Add a second factor</Link> <Link href="/admin">Users</Link>
      <Form action={signOutEverywhere} label="Sign out everywhere" />
      <Form action={deleteAccount} label="Delete my account" />
    </main>
  )
}
