/** The response to opening a mailed link. */
export type LinkConfirmation = 'none' | 'button'

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
