/** Returns a URL or path without the slashes at its end. A pattern would take quadratic time. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}

/** Returns the path of a URL below which its paths lie: `/auth`; empty at the root. */
export const pathBelow = (url: string): string =>
  withoutTrailingSlashes(URL.parse(url)?.pathname ?? '')
