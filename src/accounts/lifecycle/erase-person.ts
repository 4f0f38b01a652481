import { deletePasswordAttempts } from '../../limits/delete-password-attempts.sql.ts'
import { limitKeysOf } from '../../limits/limit-keys-of.ts'
import { event } from '../acts/event-rows.ts'
import { type Act, performAct } from '../acts/record-act.ts'
import { anonymizeAuditEntries } from '../audit/anonymize-audit-entries.sql.ts'
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
  const act: Act = {
    audit: isOperator
      ? { ...erased, actorRole: by.role, userId: replacementId }
      : { ...erased, actorId: replacementId },
    events: { userId, events: [event('user.deleted', {})] },
  }
  const recorders = isOperator ? ctx : withoutOrigin(ctx)
  return performAct(recorders, act, ({ auditRows, messageRows }) =>
    ctx.transaction(async ({ sql }) => {
      // This is the first statement. Another one that writes about the person has locked a row that
      // is deleted here, so this one waits and finds the entry below; or it waits for this one, and
      // finds no user to write about.
      const person = await deletePerson(sql, userId, messageRows, isOperator ? {} : by)
      if (!person && !isOperator) return false
      if (person) await deletePasswordAttempts(sql, limitKeysOf(person))
      const isKnown = person !== null
      return anonymizeAuditEntries(sql, { userId, replacementId, auditRows, isKnown })
    }),
  )
}

const erased = { action: 'user_deleted', traits: { erased: true } } as const

/** The person's own address and request are theirs, and go with the rest. */
const withoutOrigin = (ctx: AuthContext) => ({
  ...ctx,
  request: { id: null, ip: null, userAgent: null },
})
