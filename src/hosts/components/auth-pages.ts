/** Paths of the service's pages, for links. */
export interface AuthPages {
  /** @param returnTo the path of the page after the sign-in. Default: the site. */
  signIn(returnTo?: string): string
  /** @param returnTo the path of the page after the sign-up. Default: the site. */
  signUp(returnTo?: string): string
  readonly account: string
}

/** Returns the paths of the pages below a mount, which are the same on the server. */
export function pagesAt(basePath = '/auth'): AuthPages {
  const path = (page: string, returnTo?: string): string =>
    `${basePath}/${page}${returnTo ? `?redirect_to=${encodeURIComponent(returnTo)}` : ''}`
  return {
    signIn: (returnTo) => path('sign-in', returnTo),
    signUp: (returnTo) => path('sign-up', returnTo),
    account: path('account'),
  }
}
