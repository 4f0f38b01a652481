import type { ActionLinkType } from '../../platform/mails/mail-definition.ts'

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

export interface ActionLink {
  /** The result of {@link linkHost}. */
  base: string
  /** A path, which replaces that of the base; or a URL. */
  path: string
  /** The link's secret. */
  token: string
  type: ActionLinkType
  /** A permitted redirect target. */
  redirectTo: string
}

/** Returns the link of a mail. Each part is escaped, so that none can add or end a parameter. */
export function actionLink({ base, path, token, type, redirectTo }: ActionLink): string {
  const link = new URL(path, base)
  link.search = [
    `token=${encodeURIComponent(token)}`,
    `type=${encodeURIComponent(type)}`,
    `redirect_to=${encodeURIComponent(redirectTo)}`,
  ].join('&')
  link.hash = ''
  return link.href
}
