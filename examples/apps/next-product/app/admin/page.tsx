import { notFound } from 'next/navigation'
import { auth } from '../../auth'
import { requireUser } from '../../session'

/** The users, for administrators: `npx latchkey admin update-user EMAIL --role admin`. */
export default async function Admin() {
  const { user } = await requireUser({ aal: 2 })
  if (user.role !== 'admin') notFound()
  const { users } = await auth.admin.listUsers({ limit: 50 })
  return (
    <ul>
      {users.map(({ id, email, lastSignInAt }) => (
        <li key={id}>
          {email} {lastSignInAt?.toISOString()}
        </li>
      ))}
    </ul>
  )
}
