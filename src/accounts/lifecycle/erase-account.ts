import { deletePasswordAttempts } from '../../limits/sweep-limits.sql.ts'
import { event } from '../acts/event-rows.ts'
import { type Act, performAct } from '../acts/record-act.ts'
import { anonymizeAuditEntries } from '../audit/audit-entries.sql.ts'
import type { AuthContext } from '../auth-context.ts'
import { type DeletingParty, eraseRows } from './erase-rows.sql.ts'
import { limitKeysOf } from './limit-keys-of.ts'

/**
 * Erases the personal data of a person, as `personal-tables.ts` defines it, in one transaction. An
 * operator can also erase a user who was deleted before: audit entries may still contain personal
 * data.
 *
 * @returns whether there was any data.
 */
export async function eraseAccount(
  ctx: AuthContext,
  userId: string,
  by: DeletingParty,
): Promise<boolean> {
  const operator = 'operator' in by ? by.operator : null
  const replacementId = ctx.random.uuid()
  const act: Act = {
    audit: operator
      ? { ...erased, actorRole: operator.role, userId: replacementId }
      : { ...erased, actorId: replacementId },
    events: { userId, events: [event('user.deleted', {})] },
  }
  const recorders = operator ? ctx : withoutOrigin(ctx)
  return performAct(recorders, act, ({ auditRows, messageRows }) =>
    ctx.transaction(async ({ sql }) => {
      // This is the first statement. A concurrent statement that writes about the person has locked
      // a row that is deleted here. Then this one waits and finds the entry below. Otherwise the
      // other one waits for this one, and finds no user.
      const person = await eraseRows(sql, userId, messageRows, by)
      if (!person && !operator) return false
      if (person) await deletePasswordAttempts(sql, limitKeysOf(person))
      const isKnown = person !== null
      return anonymizeAuditEntries(sql, { userId, replacementId, auditRows, isKnown })
    }),
  )
}

const erased = { action: 'user_deleted', traits: { erased: true } } as const

/** Removes address and request of the act: they are the person's own data, which is erased, too. */
const withoutOrigin = (ctx: AuthContext) => ({
  ...ctx,
  request: { id: null, ip: null, userAgent: null },
})
