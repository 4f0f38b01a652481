/** What happens when a mailed link is opened. */
export type LinkConfirmation = 'none' | 'button'

/** Mailed links. */
export interface LinksConfig {
  /**
   * `none`: opening a link is enough. `button`: it shows a page with a button, so that programs which
   * open links to check them spend none. Default `none`.
   */
  confirm?: LinkConfirmation | undefined
}

export interface ResolvedLinks {
  confirm: LinkConfirmation
}
