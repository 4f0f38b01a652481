import type { Seconds } from './values.ts'

/** What is kept of what happened. */
export interface AuditLogConfig {
  /** Events go to the log alone. Default false. */
  disablePostgres?: boolean | undefined
  /** How long entries are kept; 0 for good. Default 365 days. */
  retentionSeconds?: Seconds | undefined
}

export interface ResolvedAuditLog {
  disablePostgres: boolean
  retentionSeconds: number
}
