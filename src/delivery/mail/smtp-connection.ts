import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import { isImplicitTls, smtpTlsPolicy } from '../../platform/kit/smtp-tls-policy.ts'
import { isPrivate, type ResolveName, resolveName } from '../../platform/kit/url-trust.ts'

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

interface MailServerPlace {
  host: string
  port: number
  timeoutMs: number
}

/** An open connection to a mail server, in the form of nodemailer's options. */
export interface MailServerConnection {
  connection: Socket
  requireTLS: boolean
}

/**
 * Connects to a mail server and decides by the addresses of its name whether TLS is required: one
 * public address is sufficient. The name is resolved once, so no other resolution can differ.
 */
export async function connectByAddress(
  { host, port, timeoutMs }: MailServerPlace,
  resolve: ResolveName = resolveName,
): Promise<MailServerConnection> {
  let requireTLS = true
  const lookup: LookupFunction = (name, _options, callback) => {
    resolve(name).then(
      (found) => {
        requireTLS = !found.every(({ address }) => isPrivate(address))
        if (found.length > 0) callback(null, found)
        else callback(failure('ENOTFOUND', 'the name has no address'), [])
      },
      (error) => callback(error, []),
    )
  }
  const connection = connect({ host, port, lookup, autoSelectFamily: true })
  const timer = setTimeout(
    () => connection.destroy(failure('ETIMEDOUT', 'the connection timed out')),
    timeoutMs,
  )
  try {
    await once(connection, 'connect')
  } finally {
    clearTimeout(timer)
  }
  return { connection, requireTLS }
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })
