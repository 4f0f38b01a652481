import type { AuditRecord } from '../../accounts/audit/audit-record.ts'
import {
  findAuditEntriesBefore,
  findAuditEntriesByPage,
  type PageOfEntries,
} from '../../accounts/audit/find-audit-entries.sql.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { pageByKey } from '../../platform/sql/page-by-key.ts'
import type { ListedAudit } from './admin-audit.endpoint.ts'
import { type AuditSearch, readAuditQuery, readAuditSearch } from './read-audit-search.ts'

/**
 * Lists audit entries page by page, the newest first.
 *
 * @throws AuthError `validation_failed`
 */
export async function listAudit(ctx: AuthContext, input: AuditSearch): Promise<ListedAudit> {
  const { query, from, before } = readAuditSearch(input)
  const { rows, nextCursor } = await pageByKey<AuditRecord>(ctx, input, {
    scope: ['audit', ...queryOf(input), from, before],
    positionOf: ({ id }) => [id],
    find: (limit, after) =>
      findAuditEntriesBefore(ctx.reader, query, { limit, from, before: after?.[0] ?? before }),
  })
  return { entries: rows, nextCursor }
}

const queryOf = ({ query, actorId, userId, action }: AuditSearch) =>
  [query, actorId, userId, action].map((part) => part || null)

/**
 * Returns one page of audit entries, the newest first, and the total.
 *
 * @throws AuthError `validation_failed` for an invalid query.
 */
export const listAuditByPage = async (
  { reader }: AuthContext,
  query: string | undefined,
  { page, perPage }: { page: number; perPage: number },
): Promise<PageOfEntries> =>
  findAuditEntriesByPage(reader, readAuditQuery(query), {
    limit: perPage,
    offset: (page - 1) * perPage,
  })
