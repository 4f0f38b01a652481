import { isRecord } from '../../platform/kit/is-record.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

/** The permissions of an administrator. Pages use `subscribers` only. */
export interface Privileges {
  subscribers: boolean
  campaigns: boolean
  statistics: boolean
  settings: boolean
}

/** An administrator who owns pages. */
export interface Owner {
  id: number
  login_name: string
  email: string
  super_user: boolean
  privileges: Privileges
  created_at: string
}

/** An administrator who owns pages, as statements return it. */
export interface OwnerRow {
  /** The number of the user as an owner of pages. */
  id: number
  email: string | null
  phone: string | null
  role: string
  /** The member `privileges` of the user's `app_metadata`, of any type. */
  privileges: unknown
  created_at: string
}

/** A user who manages pages, in the current state. */
export interface PagesUser extends Omit<OwnerRow, 'id'> {
  userId: string
  /** Null for a user who never owned a page, and where it was not queried. */
  ownerId: number | null
}

/**
 * Columns of a user for {@link OwnerRow}, as pairs for `json_build_object`; `user` is the alias of
 * the table.
 */
export const ownerPairs = (user: string): string =>
  `'email', ${user}.email, 'phone', ${user}.phone, 'role', ${user}.role,
    'privileges', ${user}.app_metadata -> 'privileges', 'created_at', ${user}.created_at`

/** An expression for the owner with an id; null for a deleted user. */
export const ownerExpression = (sql: TableFragments, ownerId: string): string => `(
  select json_build_object('id', o.id, ${ownerPairs('ou')})
  from ${sql.table('subscribe_page_owners')} o join ${sql.table('users')} ou on ou.id = o.user_id
  where o.id = ${ownerId} and ou.deleted_at is null)`

export const presentOwner = (
  { id, email, phone, role, privileges, created_at }: OwnerRow,
  adminRoles: readonly string[],
): Owner => ({
  id,
  login_name: email ?? phone ?? '',
  email: email ?? '',
  super_user: adminRoles.includes(role),
  privileges: readPrivileges(privileges),
  created_at: presentInstant(new Date(created_at)),
})

/**
 * Reads the permissions of an administrator. All are granted unless flags are stored; then only
 * those that are true. A stored value that is no object grants none.
 */
export function readPrivileges(stored: unknown): Privileges {
  const isUnlimited = stored === undefined || stored === null
  const flags = isRecord(stored) ? stored : {}
  const has = (name: keyof Privileges) => isUnlimited || flags[name] === true
  return {
    subscribers: has('subscribers'),
    campaigns: has('campaigns'),
    statistics: has('statistics'),
    settings: has('settings'),
  }
}

/** Formats an instant: `2026-06-01T10:15:00+00:00`. */
export const presentInstant = (instant: Date): string =>
  `${instant.toISOString().slice(0, 19)}+00:00`
