import type { MessagingAuth } from './messages.ts'
import type { Answer } from './test-auth.ts'

// Eve signs up with Ada's address and does not confirm it. That blocks the address neither for an
// operator nor for the user who confirms it.

export const ada = { ip: '203.0.113.10' }
export const eve = { ip: '198.51.100.66' }
export const evePassword = 'the password of Eve'

export type OccupiedKind = 'email' | 'phone'

let made = 0
export const newEmail = () => `occupied-${++made}@example.test`
export const newPhone = () => `49157${String(++made).padStart(8, '0')}`
export const addressOf = (kind: OccupiedKind) => ({
  [kind]: kind === 'email' ? newEmail() : newPhone(),
})
export const textOf = (address: Record<string, string>) => Object.values(address)[0] ?? ''

export const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
export const operator = async (auth: MessagingAuth) => ({ token: await auth.given.serviceToken() })

/** Signs Eve up; returns the id of the created account. */
export async function occupied(
  auth: MessagingAuth,
  address: Record<string, string>,
): Promise<string> {
  const data = { name: 'Eve', plan: 'gold' }
  await auth.post('/signup', { ...address, password: evePassword, data }, eve)
  const [user] = await usersAt(auth, address)
  return String(user?.['id'])
}

export const usersAt = (auth: MessagingAuth, address: Record<string, string>) =>
  auth.rows(
    `select id, role, audience, user_metadata, registered_by, email, phone from auth.users
     where email = $1 or phone = $1`,
    [textOf(address)],
  )

export const userById = async (auth: MessagingAuth, id: string) =>
  (await auth.rows('select id, email, phone from auth.users where id = $1', [id]))[0]

/** Returns `in`, or the code of the error. */
export async function signsIn(auth: MessagingAuth, address: object, password: string) {
  const { body } = await auth.post('/token?grant_type=password', { ...address, password })
  return body.error_code ?? 'in'
}

/** Returns the audit entries of a deleted account. */
export const deletionsOf = (auth: MessagingAuth, id: string) =>
  auth.rows(
    'select actor_id, actor_role from auth.audit_entries where action = 13 and user_id = $1',
    [id],
  )
