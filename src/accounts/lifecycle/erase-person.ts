import { deletePasswordAttempts } from '../../limits/delete-password-attempts.sql.ts'
import { limitKeysOf } from '../../limits/limit-keys-of.ts'
import { deliverEvents, event, eventRows } from '../acts/event-rows.ts'
import { anonymizeAuditEntries } from '../audit/anonymize-audit-entries.sql.ts'
import { auditNote } from '../audit/audit-note.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Admin } from '../callers/authenticate-admin.ts'
import { type DeletionTerms, deletePerson } from './delete-person.sql.ts'

/**
 * Removes what is stored about a person, as `personal-tables.ts` says, in one transaction. An operator
 * also reaches somebody who was deleted before: entries of the audit log may tell of them.
 *
 * @param terms under which people may erase themselves.
 * @returns whether there was anything.
 */
export async function erasePerson(
  ctx: AuthContext,
  userId: string,
  by: Admin | DeletionTerms,
): Promise<boolean> {
  const isOperator = 'role' in by
  const replacementId = ctx.random.uuid()
  const note = isOperator
    ? auditNote(ctx, { ...erased, actorRole: by.role, userId: replacementId })
    : auditNote(withoutOrigin(ctx), { ...erased, actorId: replacementId })
  const messageRows = eventRows(ctx, userId, [event('user.deleted', {})])
  const isErased = await ctx.transaction(async ({ sql }) => {
    // This comes first. Whoever writes about the person at this moment has locked something that goes
    // here, so that we wait, and find it below; or waits for us, and finds nobody to write about.
    const person = await deletePerson(sql, userId, messageRows, isOperator ? {} : by)
    if (!person && !isOperator) return false
    if (person) await deletePasswordAttempts(sql, limitKeysOf(person))
    const isKnown = person !== null
    return anonymizeAuditEntries(sql, { userId, replacementId, auditRows: note.rows, isKnown })
  })
  if (!isErased) return false
  note.log()
  deliverEvents(ctx)
  return true
}

const erased = { action: 'user_deleted', traits: { erased: true } } as const

/** The person's own address and request are theirs, and go with the rest. */
const withoutOrigin = (ctx: AuthContext) => ({
  ...ctx,
  request: { id: null, ip: null, userAgent: null },
})
