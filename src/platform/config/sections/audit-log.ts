import type { Seconds } from './values.ts'

/** The storage of audit entries. */
export interface AuditLogConfig {
  /** Entries are written to the log only. Default false. */
  disablePostgres?: boolean | undefined
  /** The retention of entries; 0 for unlimited. Default 365 days. */
  retentionSeconds?: Seconds | undefined
}

export interface ResolvedAuditLog {
  disablePostgres: boolean
  retentionSeconds: number
}
