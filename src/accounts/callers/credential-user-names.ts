import type { User } from '../users/user.ts'

/** Returns the names of a user for the list that an authenticator displays. */
export function credentialUserNames({ id, email, phone, userMetadata }: User): {
  id: string
  name: string
  displayName: string
} {
  const name = email ?? phone ?? ''
  const { name: own } = userMetadata
  return { id, name, displayName: typeof own === 'string' && own !== '' ? own : name }
}
