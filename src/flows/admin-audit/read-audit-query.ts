import type { AuditQuery } from '../../audit/find-audit-entries.sql.ts'
import { actionsNamed, actionsOfType } from '../../audit/log-types.ts'
import { validationFailed } from '../../errors/request-errors.ts'

/**
 * What is looked for in the audit log: `author:ada`, `action:login` or `type:account`.
 *
 * @param text undefined or empty for everything.
 * @throws AuthError `validation_failed` for any other word before the colon.
 */
export function readAuditQuery(text: string | undefined): AuditQuery {
  if (!text) return { actions: null, author: null }
  const [scope, ...rest] = text.split(':')
  const part = rest.join(':')
  if (rest.length > 0 && scope === 'author') return { actions: null, author: part }
  if (rest.length > 0 && scope === 'action') return { actions: actionsNamed(part), author: null }
  if (rest.length > 0 && scope === 'type') return { actions: actionsOfType(part), author: null }
  throw validationFailed(`Invalid query scope: ${text}`)
}
