import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuditEvent } from '../../accounts/audit/audit-row.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import { type Admin, hostCode } from '../../accounts/callers/authenticate-admin.ts'
import { type OutboxStatus, type Outlet, outboxStatuses } from '../../delivery/outbox/message.ts'
import {
  discardMessage,
  findMessage,
  findMessages,
  retryMessage,
} from '../../delivery/outbox/outbox-messages.sql.ts'
import { toRecord } from '../../delivery/outbox/outbox-record.ts'
import { openBody } from '../../delivery/outbox/outbox-row.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { fields, Text, Whole } from '../../platform/http/inputs.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { openCall } from './call-options.ts'
import type { OutboxApi, OutboxFilter } from './outbox-api.ts'
import { readInput } from './read-input.ts'

/**
 * Returns `auth.outbox`.
 *
 * @param admin the operator.
 * @internal
 */
export const createOutboxApi = (deps: Deps, admin: Admin = hostCode): OutboxApi => ({
  list: async (filter = {}) => (await findMessages(sqlOf(deps), readFilter(filter))).map(toRecord),
  retry: async (id, options) => {
    const ctx = openCall(deps, options)
    if (!isUuid(id)) throw noSuchMessage()
    const found = await performAct(
      ctx,
      { audit: about('message_retried', admin, id) },
      ({ auditRows }) => retryMessage(ctx.sql, { id, now: ctx.clock.now() }, auditRows),
      (message) => message?.isTried ?? false,
    )
    if (!found) throw noSuchMessage()
    ctx.afterCommit(() => ctx.outbox.wake())
  },
  discard: async (id, options) => {
    const ctx = openCall(deps, options)
    if (!isUuid(id)) throw noSuchMessage()
    const audit = about('message_discarded', admin, id)
    const existed = await performAct(ctx, { audit }, ({ auditRows }) =>
      discardMessage(ctx.sql, id, auditRows),
    )
    if (!existed) throw noSuchMessage()
  },
  preview: async (id) => {
    const row = isUuid(id) ? await findMessage(sqlOf(deps), id) : null
    if (!row?.body) throw noSuchMessage()
    const { channel, content } = openBody(deps.roots, row)
    const outlet = deps.carriers[channel] as Outlet<typeof content> | null
    if (!outlet) throw noSuchMessage()
    return outlet.preview(content)
  },
})

const sqlOf = ({ database }: Deps) => database.sql

const about = (
  action: 'message_retried' | 'message_discarded',
  { role: actorRole }: Admin,
  id: string,
): AuditEvent => ({ action, actorRole, traits: { message_id: id } })

const filterFields = fields({ status: Text, limit: Whole, before: Text })

function readFilter(filter: OutboxFilter) {
  const { status = null, limit = 50, before = null } = readInput(filter, filterFields)
  if (!isStatus(status)) {
    throw validationFailed(`status: has to be one of ${outboxStatuses.join(', ')}`)
  }
  if (limit < 1 || limit > 1000) throw validationFailed('limit: has to be from 1 to 1000')
  if (before !== null && !isUuid(before)) throw validationFailed('before: has to be a UUID')
  return { status, limit, before }
}

const isStatus = (status: string | null): status is OutboxStatus | null =>
  status === null || outboxStatuses.some((one) => one === status)

/** The message is unknown, or was sent, and its content is deleted. */
const noSuchMessage = (): AuthError =>
  new AuthError('not_found', 404, 'There is no such message, or it was sent')
