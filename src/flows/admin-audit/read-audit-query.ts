import { type AuditQuery, everything } from '../../audit/find-audit-entries.sql.ts'
import { actionsNamed, actionsOfType } from '../../audit/log-types.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { requireShort } from '../../kit/require-short.ts'

/**
 * What is looked for in the audit log: `author:ada`, `action:login` or `type:account`.
 *
 * @param text undefined or empty for everything.
 * @throws AuthError `validation_failed` for any other word before the colon.
 */
export function readAuditQuery(text: string | undefined): AuditQuery {
  if (!text) return everything
  const [scope, ...rest] = requireShort(text, 'query').split(':')
  const part = rest.join(':')
  if (rest.length > 0 && scope === 'author') return { ...everything, author: part }
  if (rest.length > 0 && scope === 'action') return { ...everything, actions: actionsNamed(part) }
  if (rest.length > 0 && scope === 'type') return { ...everything, actions: actionsOfType(part) }
  throw validationFailed(`Invalid query scope: ${text}`)
}
