import {
  type AuditAction,
  actionsNamed,
  actionsOfType,
  auditActions,
} from '../../accounts/audit/actions.ts'
import {
  type AuditQuery,
  type AuditSpan,
  unfiltered,
} from '../../accounts/audit/find-audit-entries.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { firstUuidAt, isUuid } from '../../platform/kit/uuid.ts'

/** A filter for audit entries, not validated yet. */
export interface AuditSearch extends KeyPageInput {
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
export function readAuditSearch(
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
export function readAuditQuery(text: string | undefined): AuditQuery {
  if (!text) return unfiltered
  const [scope, ...rest] = requireShort(text, 'query').split(':')
  const part = rest.join(':')
  if (rest.length > 0 && scope === 'author') return { ...unfiltered, author: part }
  if (rest.length > 0 && scope === 'action') return { ...unfiltered, actions: actionsNamed(part) }
  if (rest.length > 0 && scope === 'type') return { ...unfiltered, actions: actionsOfType(part) }
  throw validationFailed(`Invalid query scope: ${text}`)
}
