import type { AuditRecord } from '../../audit/audit-record.ts'
import { findAuditEntriesBefore } from '../../audit/find-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import { pageByKey } from '../../steps/page-by-key.ts'
import type { ListedAudit } from './list-audit-input.ts'
import { type AuditSearch, readAuditSearch } from './read-audit-search.ts'

/**
 * What happened, page by page, the newest first.
 *
 * @throws AuthError `validation_failed`
 */
export async function listAudit(ctx: AuthContext, input: AuditSearch): Promise<ListedAudit> {
  const { query, from, before } = readAuditSearch(input)
  const { rows, nextCursor } = await pageByKey<AuditRecord>(ctx, input, {
    scope: ['audit', ...questionOf(input), from, before],
    positionOf: ({ id }) => [id],
    find: (limit, after) =>
      findAuditEntriesBefore(ctx.sql, query, { limit, from, before: after?.[0] ?? before }),
  })
  return { entries: rows, nextCursor }
}

const questionOf = ({ query, actorId, userId, action }: AuditSearch) =>
  [query, actorId, userId, action].map((part) => part || null)
