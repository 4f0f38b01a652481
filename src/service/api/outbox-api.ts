import type { Deps } from '../../accounts/auth-context.ts'
import { findMessage, findMessages } from '../../delivery/outbox/find-messages.sql.ts'
import {
  type MessagePreview,
  type OutboxStatus,
  type Outlet,
  outboxStatuses,
} from '../../delivery/outbox/message.ts'
import { type OutboxRecord, toRecord } from '../../delivery/outbox/outbox-record.ts'
import { openBody } from '../../delivery/outbox/outbox-row.ts'
import { retryMessage } from '../../delivery/outbox/retry-message.sql.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { fields, Text, Whole } from '../../platform/http/inputs.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { readInput } from './read-input.ts'

/** Which messages to list. */
export interface OutboxFilter {
  /** Default: any. */
  status?: OutboxStatus | undefined
  /** Default 50, at most 1000. */
  limit?: number | undefined
  /** Only messages stored before the one with this id, which may be the last of another list. */
  before?: string | undefined
}

/**
 * The messages on their way, and what became of those of the last week. To hold this object is to
 * be an operator. Every method throws `AuthError`.
 */
export interface OutboxApi {
  /**
   * Messages, the newest first.
   *
   * @throws AuthError `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  list(filter?: OutboxFilter): Promise<OutboxRecord[]>
  /**
   * Sends a message that waits or was given up: within seconds, with its attempts counted from 0.
   * One that has expired is given up again.
   *
   * @throws AuthError `not_found` (404) also for one that was sent, `service_unavailable` (503).
   */
  retry(id: string): Promise<void>
  /**
   * What would be sent, with its links and codes. Sends nothing.
   *
   * @throws AuthError `not_found` (404) also for one that was sent: what it said is forgotten,
   *   `service_unavailable` (503).
   */
  preview(id: string): Promise<MessagePreview>
}

/** @internal */
export type OutboxApiNeeds = Pick<Deps, 'clock' | 'roots' | 'carriers'> & {
  database: Pick<Deps['database'], 'sql'>
  outbox: Pick<Deps['outbox'], 'wake'>
}

/** @internal */
export const createOutboxApi = ({
  database: { sql },
  clock,
  roots,
  carriers,
  outbox,
}: OutboxApiNeeds): OutboxApi => ({
  list: async (filter = {}) => (await findMessages(sql, readFilter(filter))).map(toRecord),
  retry: async (id) => {
    if (!isUuid(id) || !(await retryMessage(sql, id, clock.now()))) throw noSuchMessage()
    outbox.wake()
  },
  preview: async (id) => {
    const row = isUuid(id) ? await findMessage(sql, id) : null
    if (!row?.body) throw noSuchMessage()
    const { channel, content } = openBody(roots, row)
    const outlet = carriers[channel] as Outlet<typeof content> | null
    if (!outlet) throw noSuchMessage()
    return outlet.preview(content)
  },
})

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

/** Unknown; or sent, and what was asked for needs what is forgotten then. */
const noSuchMessage = (): AuthError =>
  new AuthError('not_found', 404, 'There is no such message, or it was sent')
