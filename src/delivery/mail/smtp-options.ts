import { isIP } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import { isImplicitTls, smtpTlsPolicy } from '../../platform/kit/smtp-tls-policy.ts'

/** How long a server may take: to be reached, between two signs of life, and for all of a mail. */
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

/** Where mails go, and how it is spoken to. */
export interface SmtpPlace {
  externalUrl: string
  email: Pick<Config['email'], 'smtp'>
}

/** What nodemailer takes for one connection. */
export function smtpOptions({ externalUrl, email }: SmtpPlace, patience: SmtpPatience) {
  const { host, port, user, pass } = email.smtp
  return {
    host: host ?? '',
    port: port ?? 587,
    secure: isImplicitTls(email.smtp),
    // What depends on addresses is decided by `connectByAddress`, and required until then.
    requireTLS: smtpTlsPolicy(email.smtp) !== 'offered',
    ...(user !== null && { auth: { user, pass: pass ?? '' } }),
    name: clientName(externalUrl),
    connectionTimeout: patience.connectMs,
    dnsTimeout: patience.connectMs,
    greetingTimeout: patience.silenceMs,
    socketTimeout: patience.silenceMs,
  }
}

/** What we call ourselves: the name that people reach us by. @see RFC 5321 §4.1.3 */
function clientName(externalUrl: string): string {
  const host = URL.parse(externalUrl)?.hostname ?? ''
  if (isIP(host) === 4) return `[${host}]`
  return host.startsWith('[') ? `[IPv6:${host.slice(1)}` : host || 'localhost'
}
