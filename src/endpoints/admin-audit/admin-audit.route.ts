import {
  type AuditAction,
  actionsNamed,
  actionsOfType,
  auditActions,
} from '../../accounts/audit/actions.ts'
import type { AuditRecord } from '../../accounts/audit/audit-record.ts'
import {
  type AuditQuery,
  type AuditSpan,
  findAuditEntriesBefore,
  findAuditEntriesByPage,
  type PageOfEntries,
  unfiltered,
} from '../../accounts/audit/find-audit-entries.sql.ts'
import { presentAuditEntry } from '../../accounts/audit/present-audit-entry.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
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
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { firstUuidAt, isUuid } from '../../platform/kit/uuid.ts'
import { pageByKey } from '../../platform/sql/page-by-key.ts'
import { implementSeparately } from '../http/implement.ts'
import { type ListAuditInput, type ListedAudit, listAuditEndpoint } from './admin-audit.endpoint.ts'

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

/**
 * Lists audit entries page by page, the newest first.
 *
 * @throws AuthError `validation_failed`
 */
async function listAudit(ctx: AuthContext, input: AuditSearch): Promise<ListedAudit> {
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
const listAuditByPage = async (
  { reader }: AuthContext,
  query: string | undefined,
  { page, perPage }: { page: number; perPage: number },
): Promise<PageOfEntries> =>
  findAuditEntriesByPage(reader, readAuditQuery(query), {
    limit: perPage,
    offset: (page - 1) * perPage,
  })

/** A filter for audit entries, not validated yet. */
interface AuditSearch extends KeyPageInput {
  query?: string | undefined
  actorId?: string | undefined
  userId?: string | undefined
  action?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/**
 * Reads the filter and the range of ids.
 *
 * @throws AuthError `validation_failed`, naming the field.
 */
function readAuditSearch(
  search: AuditSearch,
): { query: AuditQuery } & Pick<AuditSpan, 'from' | 'before'> {
  const query = readAuditQuery(search.query)
  const action = readAction(search.action)
  const named = query.actions ?? (action && [action])
  return {
    query: {
      author: query.author,
      actions: action && named ? named.filter((one) => one === action) : named,
      actorId: readId('actorId', search.actorId),
      userId: readId('userId', search.userId),
    },
    from: readInstant('since', search.since),
    before: readInstant('until', search.until),
  }
}

function readAction(name: string | undefined): AuditAction | null {
  if (!name) return null
  if (Object.hasOwn(auditActions, name)) return name as AuditAction
  throw validationFailed('action: there is no such action')
}

function readId(field: string, id: string | undefined): string | null {
  if (!id) return null
  if (!isUuid(id)) throw validationFailed(`${field}: has to be a UUID`)
  return id.toLowerCase()
}

/** Returns the lowest id that can be generated at an instant. */
function readInstant(field: string, text: string | undefined): string | null {
  if (!text) return null
  const at = new Date(text)
  const isInstant = /^\d{4}-\d\d-\d\d(T|$)/.test(text) && at.getTime() >= 0
  if (!isInstant) throw validationFailed(`${field}: has to be a date in ISO 8601`)
  return firstUuidAt(at)
}

/**
 * Reads a query such as `author:ada`, `action:login` or `type:account`.
 *
 * @param text undefined or empty for all entries.
 * @throws AuthError `validation_failed` for any other scope before the colon.
 */
function readAuditQuery(text: string | undefined): AuditQuery {
  if (!text) return unfiltered
  const [scope, ...rest] = requireShort(text, 'query').split(':')
  const part = rest.join(':')
  if (rest.length > 0 && scope === 'author') return { ...unfiltered, author: part }
  if (rest.length > 0 && scope === 'action') return { ...unfiltered, actions: actionsNamed(part) }
  if (rest.length > 0 && scope === 'type') return { ...unfiltered, actions: actionsOfType(part) }
  throw validationFailed(`Invalid query scope: ${text}`)
}
