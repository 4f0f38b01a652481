/** A proxy's forwarding headers of a request. */
export interface ForwardedRequest {
  /** `X-Forwarded-Host`; null or undefined if it is absent. */
  forwardedHost?: string | null | undefined
  /** `X-Forwarded-Proto` */
  forwardedProto?: string | null | undefined
}

interface Settings {
  externalUrl: string
  email: { externalHosts: readonly string[] }
}

/**
 * Returns the base URL of mailed links: the configured one, or that of a listed host that a proxy
 * names. Any client can send the header, so a host has to equal a listed one exactly.
 */
export function linkHost(
  { externalUrl, email }: Settings,
  { forwardedHost, forwardedProto }: ForwardedRequest,
): string {
  if (!forwardedHost || !email.externalHosts.includes(forwardedHost)) return externalUrl
  const isLocal = forwardedHost.replace(/:\d+$/, '') === 'localhost'
  return `${isLocal && forwardedProto === 'http' ? 'http' : 'https'}://${forwardedHost}`
}
