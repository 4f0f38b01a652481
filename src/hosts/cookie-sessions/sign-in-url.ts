import type { CookieTerms } from './cookie-terms.ts'

/**
 * Returns the path of the service's sign-in page, which returns to a page of the application. Only
 * path and query of the page are used: behind a proxy, a host may report another origin.
 *
 * @param returnTo a path, or the URL of the request.
 */
export function signInUrl(
  { origins }: Pick<CookieTerms, 'origins'>,
  basePath: string,
  returnTo: string,
): string {
  const [origin = ''] = origins
  const { pathname, search } = new URL(returnTo, origin)
  const target = `${origin}${pathname.replace(/^\/+/, '/')}${search}`
  return `${basePath}/sign-in?${new URLSearchParams({ redirect_to: target })}`
}
