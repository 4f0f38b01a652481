import { type AuditAction, auditActions } from '../../../accounts/audit/actions.ts'
import type { AuditedUser, AuditRecord } from '../../../accounts/audit/audit-record.ts'
import type { ListAuditInput } from '../../../endpoints/admin-audit/admin-audit.endpoint.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { linkButton } from '../../pages/components/button.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { pager } from '../components/pager.ts'
import { link, mono, time, visible } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { type ConsoleRequest, consolePath, userPath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { csvLine, download } from '../download.ts'

const path = '/console/audit'
const exportPath = '/console/audit.csv'

/** The number of entries of one export: the filters select further ones. */
const maxExported = 100_000

/** The audit log with its filters. */
const auditRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { admin, options, query, t } = request
    const input = filterOf(query)
    const { entries, nextCursor } = await admin.listAudit(
      { ...input, cursor: query.get('cursor') },
      options,
    )
    const filters = Object.fromEntries([...query].filter(([name]) => name !== 'cursor'))
    return presentConsole(request, {
      entry: 'audit',
      heading: t('nav.audit'),
      tools: linkButton(t('audit.export'), consolePath(request, exportPath, filters), 'secondary'),
      body: html`<section>
${filterForm(
  request,
  path,
  t('nav.audit'),
  [
    {
      name: 'action',
      label: t('column.act'),
      choices: [
        ['', t('form.all')],
        ...Object.keys(auditActions).map((one) => [one, one] as const),
      ],
    },
    { name: 'actor', label: t('column.actor'), hint: t('audit.actorHint') },
    { name: 'user', label: t('column.affected'), hint: t('audit.userHint') },
    { name: 'author', label: t('audit.author'), hint: t('audit.authorHint') },
    { name: 'since', label: t('audit.since'), hint: t('audit.sinceHint') },
    { name: 'until', label: t('audit.until'), hint: t('audit.untilHint') },
  ],
  t('form.filter'),
)}
${auditTable(request, t('audit.caption'), entries)}
${pager(request, path, nextCursor === null ? null : { name: 'cursor', value: nextCursor })}
</section>`,
    })
  },
}

/** Exports the entries as a file. It is sent in parts, so its size costs no memory. */
const auditExportRoute: ConsoleRoute = {
  path: exportPath,
  show: async (request) => {
    const input = filterOf(request.query)
    // A malformed filter is rejected before the response begins.
    const first = await request.admin.listAudit({ ...input, limit: 1_000 }, request.options)
    return download('text/csv', 'audit.csv', linesOf(request, input, first))
  },
}

export const auditRoutes: readonly ConsoleRoute[] = [auditRoute, auditExportRoute]

const columns = [
  'id',
  'created_at',
  'action',
  'actor_id',
  'actor',
  'actor_role',
  'user_id',
  'user',
  'ip',
  'request_id',
  'occurrences',
  'traits',
]

async function* linesOf(
  { admin, options }: ConsoleRequest,
  input: ListAuditInput,
  first: Awaited<ReturnType<ConsoleRequest['admin']['listAudit']>>,
): AsyncGenerator<string> {
  yield csvLine(columns)
  let page = first
  for (let exported = 0; exported < maxExported; exported += page.entries.length) {
    yield page.entries.map((entry) => csvLine(cellsOf(entry))).join('')
    if (page.nextCursor === null) return
    page = await admin.listAudit({ ...input, limit: 1_000, cursor: page.nextCursor }, options)
  }
}

const cellsOf = (entry: AuditRecord): (string | null)[] => [
  entry.id,
  entry.createdAt.toISOString(),
  entry.action,
  entry.actorId,
  addressOf(entry.actor),
  entry.actorRole,
  entry.userId,
  addressOf(entry.user),
  entry.ip,
  entry.requestId,
  String(entry.occurrences),
  Object.keys(entry.traits).length === 0 ? null : JSON.stringify(entry.traits),
]

const addressOf = (user: AuditedUser | null): string | null =>
  user && (user.email ?? (user.phone === null ? null : `+${user.phone}`))

/** Reads the filters. The API validates their values. */
function filterOf(query: URLSearchParams): ListAuditInput {
  const text = (name: string) => query.get(name)?.trim() || undefined
  const author = text('author')
  return {
    actorId: text('actor'),
    userId: text('user'),
    action: text('action') as AuditAction | undefined,
    since: text('since'),
    until: text('until'),
    ...(author !== undefined && { query: `author:${author}` as const }),
  }
}

/** A table of entries, each with its actor. */
export function auditTable(
  request: ConsoleRequest,
  caption: string,
  entries: readonly AuditRecord[],
  empty = request.t('audit.none'),
): Markup {
  const { t } = request
  return dataTable({
    caption,
    columns: [
      t('column.time'),
      t('column.act'),
      t('column.actor'),
      t('column.affected'),
      t('column.details'),
      t('column.address'),
      t('column.request'),
    ],
    rows: entries.map((entry) => [
      time(entry.createdAt),
      breakable(entry.action),
      actorOf(request, entry),
      userLink(request, entry.userId, entry.user),
      detailsOf(request, entry),
      entry.ip,
      entry.requestId &&
        link(
          consolePath(request, '/console/decisions', { request: entry.requestId }),
          entry.requestId,
        ),
    ]),
    empty,
  })
}

/** An action, whose lines may end after an underscore. */
const breakable = (action: string): Markup =>
  html`<span class="mono">${action.split(/(?<=_)/).map((part) => html`${part}<wbr>`)}</span>`

function actorOf(request: ConsoleRequest, { actorId, actor, actorRole }: AuditRecord) {
  const user = userLink(request, actorId, actor)
  if (actorRole === null) return user
  return user ? html`${user} (${actorRole})` : actorRole
}

const userLink = (request: ConsoleRequest, id: string | null, user: AuditedUser | null) =>
  id && link(consolePath(request, userPath(id)), addressOf(user) ?? id)

function detailsOf({ t }: ConsoleRequest, { traits, occurrences }: AuditRecord): Markup | null {
  const { ban_reason: reason, ...others } = traits
  const parts = [
    ...(typeof reason === 'string' ? [html`${t('audit.ban', { reason })}`] : []),
    ...Object.entries(others).map(([name, value]) => mono(`${name}: ${textOf(value)}`)),
    ...(occurrences > 1 ? [html`${t('audit.times', { count: occurrences })}`] : []),
  ]
  return parts.length === 0 ? null : html`${parts.map((part) => html`${part} `)}`
}

const textOf = (value: unknown): string =>
  visible(typeof value === 'string' ? value : JSON.stringify(value))
