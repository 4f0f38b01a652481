import type { Glob } from '../../kit/glob.ts'
import type { Seconds } from './values.ts'

/** The response to a request with a redirect target that is not permitted. */
export type RedirectDenial = 'fallback' | 'reject'

/** The permitted redirect targets. */
export interface RedirectsConfig {
  /** Globs of permitted targets in addition to `siteUrl`: `https://*.example.com/**`. */
  allowList?: readonly string[] | undefined
  /**
   * A target that is not permitted is replaced by `siteUrl`, or the status is 400. Default
   * `fallback`.
   */
  onDenied?: RedirectDenial | undefined
}

/**
 * A pattern of permitted targets, divided like a URL. A wildcard of the host cannot match a part of
 * the path, nor end the host early.
 */
export interface TargetPattern {
  /** The pattern as configured. */
  text: string
  /** Lower-case, without `:`. */
  scheme: string
  /** Host and port, in lower case for web schemes; null for forms such as `myapp:/path`. */
  authority: Glob | null
  /** Path and query. */
  rest: Glob
}

export interface ResolvedRedirects {
  allowList: readonly TargetPattern[]
  onDenied: RedirectDenial
}

/** The response to opening a mailed link. */
type LinkConfirmation = 'none' | 'button'

/** Mailed links. */
export interface LinksConfig {
  /**
   * `none`: opening a link is sufficient. `button`: it shows a page with a button, so that link
   * scanners do not consume it. Default `none`.
   */
  confirm?: LinkConfirmation | undefined
}

export interface ResolvedLinks {
  confirm: LinkConfirmation
}

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
