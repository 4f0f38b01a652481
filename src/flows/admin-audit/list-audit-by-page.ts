import { findAuditEntriesByPage, type PageOfEntries } from '../../audit/find-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import { readAuditQuery } from './read-audit-query.ts'

/**
 * One page of what happened, the newest first, and how much there is.
 *
 * @throws AuthError `validation_failed` for a query of another form.
 */
export const listAuditByPage = async (
  { sql }: AuthContext,
  query: string | undefined,
  { page, perPage }: { page: number; perPage: number },
): Promise<PageOfEntries> =>
  findAuditEntriesByPage(sql, readAuditQuery(query), {
    limit: perPage,
    offset: (page - 1) * perPage,
  })
