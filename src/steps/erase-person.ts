import { auditRows } from '../audit/audit-row.ts'
import { forgetPerson } from '../audit/forget-person.sql.ts'
import type { AuthContext } from '../deps.ts'
import { forgetAttempts } from '../limits/forget-attempts.sql.ts'
import { deletePerson } from '../users/delete-person.sql.ts'
import type { Admin } from './authenticate-admin.ts'
import { limitKeysOf } from './limit-keys-of.ts'

/**
 * Removes what is stored about a person, as `personal-tables.ts` says, in one transaction. Also for
 * somebody who was deleted before: entries of the audit log may tell of them.
 *
 * @param by the operator, or the person.
 * @returns whether there was anything.
 */
export const erasePerson = (
  ctx: AuthContext,
  userId: string,
  by: Admin | 'themselves',
): Promise<boolean> =>
  ctx.transaction(async ({ sql }) => {
    // This comes first. Whoever writes about the person at this moment has locked something that goes
    // here, so that we wait, and find it below; or waits for us, and finds nobody to write about.
    const person = await deletePerson(sql, userId)
    if (person) await forgetAttempts(sql, limitKeysOf(person))
    const strangerId = ctx.random.uuid()
    const rows = erasureRows(ctx, strangerId, by)
    return forgetPerson(sql, { userId, strangerId, auditRows: rows, isKnown: person !== null })
  })

function erasureRows(ctx: AuthContext, strangerId: string, by: Admin | 'themselves'): string {
  const entry = { action: 'user_deleted', traits: { erased: true } } as const
  if (by !== 'themselves') {
    return auditRows(ctx, { ...entry, actorRole: by.role, userId: strangerId })
  }
  const { clock } = ctx
  return auditRows({ clock, request: { id: null, ip: null } }, { ...entry, actorId: strangerId })
}
