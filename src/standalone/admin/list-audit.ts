import { actionsNamed, actionsOfType, auditActions } from '../../accounts/audit/actions.ts'
import type { AuditedUser, AuditRecord } from '../../accounts/audit/audit-record.ts'
import type { ListAuditInput } from '../../endpoints/admin-audit/admin-audit.endpoint.ts'
import { nearestName } from '../../platform/config/nearest-name.ts'
import { UsageError } from '../command-error.ts'
import {
  type AdminResult,
  type ReadingRequest,
  readLimit,
  remarkOn,
  textOf,
} from './admin-action.ts'
import { requireUserId } from './name-user.ts'

/** `latchkey admin audit [QUERY]` */
export async function listAudit({
  admin,
  words: [query],
  flags,
}: ReadingRequest): Promise<AdminResult> {
  rejectUnknownName(query)
  const { by, about } = { ...textOf(flags, 'by'), ...textOf(flags, 'about') }
  const value = await admin.listAudit({
    // `listAudit` rejects an invalid query, as it does in code.
    query: query as ListAuditInput['query'],
    ...(by !== undefined && { actorId: await requireUserId(admin, by) }),
    ...(about !== undefined && { userId: await requireUserId(admin, about) }),
    ...textOf(flags, 'since'),
    ...textOf(flags, 'until'),
    limit: readLimit('audit', flags),
    ...textOf(flags, 'cursor'),
  })
  return {
    value,
    columns: auditColumns,
    rows: value.entries.map(describeEntry),
    ...remarkOn(value.nextCursor),
  }
}

/**
 * Rejects a query for actions or types that no action has: its list would be empty.
 *
 * @throws UsageError
 */
function rejectUnknownName(query = ''): void {
  const [, scope, part = ''] = /^(action|type):(.*)$/s.exec(query) ?? []
  if (scope === undefined) return
  const found = scope === 'action' ? actionsNamed(part) : actionsOfType(part)
  if (found.length > 0) return
  const known = Object.entries(auditActions).map(([name, { logType }]) =>
    scope === 'action' ? name : logType,
  )
  const nearest = nearestName(part, new Set(known))
  const remedy = nearest ? `; did you mean ${scope}:${nearest}?` : '. See docs/audit.md'
  throw new UsageError(`admin audit: no ${scope} contains ${part}${remedy}`)
}

const auditColumns = ['time', 'action', 'by', 'about', 'ip', 'request']

const describeEntry = (entry: AuditRecord): string[] => [
  entry.createdAt.toISOString(),
  entry.occurrences > 1 ? `${entry.action} (${entry.occurrences} times)` : entry.action,
  entry.actorRole ?? nameOf(entry.actor, entry.actorId),
  nameOf(entry.user, entry.userId),
  entry.ip ?? '-',
  entry.requestId ?? '-',
]

/** Returns the user's present address, or the id of a deleted user. */
const nameOf = (user: AuditedUser | null, id: string | null): string =>
  user?.email ?? user?.phone ?? id ?? '-'
