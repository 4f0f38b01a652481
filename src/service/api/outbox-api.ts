import type { MessagePreview, OutboxStatus } from '../../delivery/outbox/message.ts'
import type { OutboxRecord } from '../../delivery/outbox/outbox-record.ts'
import type { CallOptions } from './call-options.ts'
import type { MethodsOf } from './lazily.ts'

/** A filter for messages, and a position in the list. */
export interface OutboxFilter {
  /** The status. Default: any. */
  status?: OutboxStatus | undefined
  /** Default 50, at most 1000. */
  limit?: number | undefined
  /**
   * Only messages that were stored before the one with this id, which may be the last of another
   * list.
   */
  before?: string | undefined
}

/**
 * The pending messages, and the results of the last week. The object itself grants the permission
 * of an operator. Every method throws `AuthError`.
 */
export interface OutboxApi {
  /**
   * Lists messages, the newest first.
   *
   * @throws AuthError `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  list(filter?: OutboxFilter): Promise<OutboxRecord[]>
  /**
   * Sends a pending or given-up message within seconds, with its attempts counted from 0. An
   * expired one is given up again. The audit log contains it.
   *
   * @throws AuthError `not_found` (404) also for one that was sent, `service_unavailable` (503).
   */
  retry(id: string, options?: CallOptions): Promise<void>
  /**
   * Deletes a waiting or failed message. It is not sent. The audit log contains it.
   *
   * @throws AuthError `not_found` (404) also for one that was sent or is being sent,
   *   `service_unavailable` (503).
   */
  discard(id: string, options?: CallOptions): Promise<void>
  /**
   * Returns the message as it would be sent, with its links and codes. Sends nothing.
   *
   * @throws AuthError `not_found` (404) also for a sent message, whose content is deleted,
   *   `service_unavailable` (503).
   */
  preview(id: string): Promise<MessagePreview>
}

/** The names of its methods. They exist before the service is started. */
export const outboxMethods: MethodsOf<OutboxApi> = {
  list: true,
  retry: true,
  discard: true,
  preview: true,
}
