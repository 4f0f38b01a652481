import type { User } from '../users/user.ts'

/** A user as the list of an authenticator shows them. */
export function credentialHolder({ id, email, phone, userMetadata }: User): {
  id: string
  name: string
  displayName: string
} {
  const name = email ?? phone ?? ''
  const { name: own } = userMetadata
  return { id, name, displayName: typeof own === 'string' && own !== '' ? own : name }
}
