import type { AuditRecord } from '../../audit/audit-record.ts'
import { findAuditEntriesBefore } from '../../audit/find-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import type { KeyPageInput } from '../../kit/key-page-input.ts'
import { pageByKey } from '../../steps/page-by-key.ts'
import type { ListedAudit } from './list-audit-input.ts'
import { readAuditQuery } from './read-audit-query.ts'

/**
 * What happened, page by page, the newest first.
 *
 * @throws AuthError `validation_failed`
 */
export async function listAudit(
  ctx: AuthContext,
  input: KeyPageInput & { query?: string | undefined },
): Promise<ListedAudit> {
  const query = readAuditQuery(input.query)
  const { rows, nextCursor } = await pageByKey<AuditRecord>(ctx, input, {
    scope: ['audit', input.query || null],
    positionOf: ({ id }) => [id],
    find: (limit, after) =>
      findAuditEntriesBefore(ctx.sql, query, { limit, before: after?.[0] ?? null }),
  })
  return { entries: rows, nextCursor }
}
