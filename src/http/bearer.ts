const scheme = 'bearer '

/** The token of an `Authorization` header; null for any other content. @see RFC 6750 §2.1 */
export function parseBearer(header: string | null | undefined): string | null {
  if (header?.slice(0, scheme.length).toLowerCase() !== scheme) return null
  const token = header.slice(scheme.length)
  return token !== '' && !/\s/.test(token) ? token : null
}
