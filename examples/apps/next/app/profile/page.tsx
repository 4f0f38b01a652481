import { requireUser } from '../../session'

export default async function Profile() {
  const { user } = await requireUser()
  return <p>hello, {user.email}</p>
}
