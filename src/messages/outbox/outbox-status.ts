/** Waiting for a carrier, being handed to one, taken by one, or given up. */
export const outboxStatuses = ['waiting', 'sending', 'sent', 'failed'] as const

export type OutboxStatus = (typeof outboxStatuses)[number]
