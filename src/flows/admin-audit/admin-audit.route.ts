import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { answerJsonText, jsonList } from '../../http/json-text.ts'
import { openContext } from '../../http/open-context.ts'
import { createPageTurns, readPage, requireWholePage, setPageHeaders } from '../../http/paging.ts'
import { presentAuditEntry } from '../../http/present-audit-entry.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { listAuditEndpoint } from './admin-audit.endpoint.ts'
import { listAuditByPage } from './list-audit.ts'

/** `GET /admin/audit`: what happened, of all audiences, the newest first. */
export function listAuditRoute(app: H3, deps: Deps): void {
  const inTurn = createPageTurns()
  serveEndpoint(app, listAuditEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))
    const page = readPage(event)

    return inTurn(page, async () => {
      const { entries, total, isCut } = await listAuditByPage(ctx, readQuery(event, 'query'), page)
      requireWholePage(page, entries, isCut)
      setPageHeaders(event, page, total)
      return answerJsonText(event, await jsonList(entries, presentAuditEntry))
    })
  })
}
