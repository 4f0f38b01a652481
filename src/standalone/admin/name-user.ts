import { isBanned, type User } from '../../accounts/users/user.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import type { UserLookUp } from '../../endpoints/admin-users/admin-users.endpoint.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import type { AdminApi } from '../../service/api/admin-api.ts'
import { UsageError } from '../command-error.ts'
import type { AdminResult } from './admin-action.ts'

/**
 * Reads the address of a user.
 *
 * @param options.acceptsId whether the caller accepts an id, too.
 * @throws UsageError for a word that resembles no address.
 */
export function readAddress(
  word = '',
  { acceptsId = false }: { acceptsId?: boolean } = {},
): { email: string } | { phone: string } {
  if (word.includes('@')) return { email: word }
  if (/^[+(\d]/.test(word)) return { phone: word }
  const id = acceptsId ? 'an id, ' : ''
  throw new UsageError(`${word} is neither ${id}an email address nor a phone number`)
}

/**
 * Returns the id that a word names. A UUID is not looked up: entries of a deleted user may remain
 * under it.
 */
export const requireUserId = async (
  admin: Pick<AdminApi, 'findUser'>,
  word = '',
): Promise<string> => (isUuid(word) ? word : (await requireUser(admin, word)).id)

export async function requireUser(admin: Pick<AdminApi, 'findUser'>, word = ''): Promise<User> {
  const lookUp: UserLookUp = isUuid(word) ? { id: word } : readAddress(word, { acceptsId: true })
  const user = await admin.findUser(lookUp)
  if (user) return user
  const { code, status, message } = userNotFound()
  // The message quotes the word, which the operator typed on this terminal.
  throw new AuthError(code, status, `${message}: ${word}`)
}

export const userColumns = ['id', 'email', 'phone', 'role', 'created', 'state']

export const showUser = (user: User): AdminResult => ({
  value: user,
  columns: userColumns,
  rows: [describeUser(user)],
})

export const describeUser = (user: User): string[] => [
  user.id,
  user.email ?? '-',
  user.phone ?? '-',
  user.role,
  user.createdAt.toISOString(),
  stateOf(user),
]

function stateOf(user: User): string {
  if (user.deletedAt) return 'deleted'
  if (isBanned(user, new Date())) return `banned until ${user.bannedUntil?.toISOString()}`
  return user.emailConfirmedAt || user.phoneConfirmedAt ? 'confirmed' : 'unconfirmed'
}
