import type { Glob } from '../../kit/glob.ts'

/** What happens to a request that names a target which is not permitted. */
export type RedirectDenial = 'fallback' | 'reject'

/** Where people may be sent back to. */
export interface RedirectsConfig {
  /** Globs of permitted targets beside `siteUrl`: `https://*.example.com/**`. */
  allowList?: readonly string[] | undefined
  /** A target that is not permitted becomes `siteUrl`, or the answer is 400. Default `fallback`. */
  onDenied?: RedirectDenial | undefined
}

/**
 * One permitted form of targets, cut where URLs are: what a wildcard of the host stands for can never
 * reach into the path, nor end the host early.
 */
export interface TargetPattern {
  /** As it was configured. */
  text: string
  /** Lower-case, without `:`. */
  scheme: string
  /** Host and port, lower-case where the scheme is of the web; null for forms such as `myapp:/path`. */
  authority: Glob | null
  /** Path and query. */
  rest: Glob
}

export interface ResolvedRedirects {
  allowList: readonly TargetPattern[]
  onDenied: RedirectDenial
}
