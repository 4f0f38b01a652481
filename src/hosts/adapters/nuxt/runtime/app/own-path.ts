/** What parsers of URLs skip or take for a slash, so that a browser could be led elsewhere, and what Nuxt refuses to follow. */
const ambiguous = /[\\\p{Cc}]|^\/\s/u

/** A path of this application, from a query that anybody can write; else the home path. */
export function ownPath(
  path: unknown,
  { homePath, signInPath }: { homePath: string; signInPath: string },
): string {
  if (typeof path !== 'string' || !path.startsWith('/') || ambiguous.test(path)) return homePath
  const base = 'http://own.invalid'
  if (!URL.canParse(path, base)) return homePath
  const { origin, pathname } = new URL(path, base)
  const leadsOut = origin !== base || path.startsWith('//') || pathname.startsWith('//')
  // Whoever is signed in would be sent on from there, to there.
  const leadsBack = pathname.replace(/\/$/, '') === signInPath.replace(/\/$/, '')
  return leadsOut || leadsBack ? homePath : path
}
