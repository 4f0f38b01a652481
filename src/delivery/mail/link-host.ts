/** What a proxy says about the request that it handed on. */
export interface ForwardedRequest {
  /** `X-Forwarded-Host`; null or undefined where it was not sent. */
  forwardedHost?: string | null | undefined
  /** `X-Forwarded-Proto` */
  forwardedProto?: string | null | undefined
}

interface Settings {
  externalUrl: string
  email: { externalHosts: readonly string[] }
}

/**
 * The URL that mailed links build on: the configured one, or that of a listed host which a proxy
 * names. Anybody can send the header, so a host that is not listed letter by letter changes nothing.
 */
export function linkHost(
  { externalUrl, email }: Settings,
  { forwardedHost, forwardedProto }: ForwardedRequest,
): string {
  if (!forwardedHost || !email.externalHosts.includes(forwardedHost)) return externalUrl
  const isLocal = forwardedHost.replace(/:\d+$/, '') === 'localhost'
  return `${isLocal && forwardedProto === 'http' ? 'http' : 'https'}://${forwardedHost}`
}
