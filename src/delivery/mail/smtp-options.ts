import { isIP } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import { isImplicitTls, smtpTlsPolicy } from '../../platform/kit/smtp-tls-policy.ts'

/** Time limits of a server: to connect, between two responses, and for a whole mail. */
export interface SmtpPatience {
  connectMs: number
  silenceMs: number
  mailMs: number
}

export const usualPatience: SmtpPatience = {
  connectMs: 10_000,
  silenceMs: 30_000,
  mailMs: 40_000,
}

/** The mail server and its protocol settings. */
export interface SmtpPlace {
  externalUrl: string
  email: Pick<Config['email'], 'smtp'>
}

/** Returns nodemailer's options for one connection. */
export function smtpOptions({ externalUrl, email }: SmtpPlace, patience: SmtpPatience) {
  const { host, port, user, pass } = email.smtp
  return {
    host: host ?? '',
    port: port ?? 587,
    secure: isImplicitTls(email.smtp),
    // If it depends on addresses, `connectByAddress` decides it; until then TLS is required.
    requireTLS: smtpTlsPolicy(email.smtp) !== 'offered',
    ...(user !== null && { auth: { user, pass: pass ?? '' } }),
    name: clientName(externalUrl),
    connectionTimeout: patience.connectMs,
    dnsTimeout: patience.connectMs,
    greetingTimeout: patience.silenceMs,
    socketTimeout: patience.silenceMs,
  }
}

/** Returns the name for EHLO: the host of the external URL. @see RFC 5321 §4.1.3 */
function clientName(externalUrl: string): string {
  const host = URL.parse(externalUrl)?.hostname ?? ''
  if (isIP(host) === 4) return `[${host}]`
  return host.startsWith('[') ? `[IPv6:${host.slice(1)}` : host || 'localhost'
}
