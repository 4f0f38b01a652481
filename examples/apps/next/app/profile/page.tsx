import { AuthError } from 'latchkey'
import { redirect } from 'next/navigation'
import { getSession } from '../../session'

export default async function Profile() {
  const { user } = await requireUser()
  return <p>hello, {user.email}</p>
}

/** Returns the stored user, and rejects a session that was ended elsewhere. */
async function requireUser() {
  const session = await getSession()
  try {
    return await session.requireUser()
  } catch (error) {
    if (error instanceof AuthError) redirect('/sign-in')
    throw error
  }
}
