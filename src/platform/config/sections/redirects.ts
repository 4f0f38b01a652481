import type { Glob } from '../../kit/glob.ts'

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
