import { presentAuditEntry } from '../../accounts/audit/present-audit-entry.ts'
import { answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import {
  createPageSemaphore,
  keyPageFields,
  readPage,
  requireWholePage,
  setPageHeaders,
} from '../../platform/http/paging.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { implementSeparately } from '../http/implement.ts'
import { type ListAuditInput, listAuditEndpoint } from './admin-audit.endpoint.ts'
import { listAudit, listAuditByPage } from './list-audit.ts'

export const adminAuditRoutes = [
  implementSeparately(listAuditEndpoint, {
    handle: () => {
      const inTurn = createPageSemaphore()
      return async ({ ctx, event }) => {
        const page = readPage(event)

        return inTurn(page, async () => {
          const query = readQuery(event, 'query')
          const { entries, total, isCut } = await listAuditByPage(ctx, query, page)
          requireWholePage(page, entries, isCut)
          setPageHeaders(event, page, total)
          return answerJsonText(event, await jsonList(entries, presentAuditEntry))
        })
      }
    },
    fields: fields({
      ...keyPageFields,
      query: Text,
      actorId: Text,
      userId: Text,
      action: Text,
      since: Text,
      until: Text,
    } satisfies Record<keyof ListAuditInput, unknown>),
    run: ({ ctx, input }) => listAudit(ctx, input),
  }),
] as const
