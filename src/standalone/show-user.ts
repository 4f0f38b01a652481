import { isBanned, type User } from '../accounts/users/user.ts'
import type { AdminResult } from './admin-action.ts'

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
