import type { Queryable } from '../../platform/sql/queryable.ts'
import { findTaken } from './find-taken.sql.ts'
import { emailExists, phoneExists } from './user-errors.ts'

interface Addresses {
  email?: string | null | undefined
  phone?: string | null | undefined
}

/**
 * Rejects an address that another user has. The user's own addresses are accepted.
 *
 * @throws AuthError `email_exists`, `phone_exists` (422).
 */
export async function requireFreeAddresses(
  sql: Queryable,
  own: Addresses,
  wanted: Addresses,
): Promise<void> {
  const taken = await findTaken(sql, {
    email: wanted.email === own.email ? null : (wanted.email ?? null),
    phone: wanted.phone === own.phone ? null : (wanted.phone ?? null),
  })
  if (taken.email) throw emailExists()
  if (taken.phone) throw phoneExists()
}
