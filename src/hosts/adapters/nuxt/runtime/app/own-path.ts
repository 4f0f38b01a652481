/**
 * Characters that URL parsers skip or treat as a slash, so that a browser could be redirected to
 * another host, or that Nuxt rejects.
 */
const ambiguous = /[\\\p{Cc}]|^\/\s/u

/** Returns a path of this application from a query, which any party can set; else the home path. */
export function ownPath(
  path: unknown,
  { homePath, signInPath }: { homePath: string; signInPath: string },
): string {
  if (typeof path !== 'string' || !path.startsWith('/') || ambiguous.test(path)) return homePath
  const base = 'http://own.invalid'
  if (!URL.canParse(path, base)) return homePath
  const { origin, pathname } = new URL(path, base)
  const leadsOut = origin !== base || path.startsWith('//') || pathname.startsWith('//')
  // The sign-in page redirects signed-in users, so that this would be a loop.
  const leadsBack = pathname.replace(/\/$/, '') === signInPath.replace(/\/$/, '')
  return leadsOut || leadsBack ? homePath : path
}
