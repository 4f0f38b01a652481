import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'
import { readPage, setPageHeaders } from '../../http/paging.ts'
import { presentAuditEntry } from '../../http/present-audit-entry.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { listAuditByPage } from './list-audit-by-page.ts'

/** `GET /admin/audit`: what happened, of all audiences, the newest first. */
export function listAuditRoute(app: H3, deps: Deps): void {
  app.get('/admin/audit', async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))
    const page = readPage(event)

    const { entries, total } = await listAuditByPage(ctx, readQuery(event, 'query'), page)
    setPageHeaders(event, page, total)
    return entries.map(presentAuditEntry)
  })
}
