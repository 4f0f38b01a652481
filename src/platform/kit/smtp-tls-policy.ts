import { isPublic, readIpAddress } from './ip-address.ts'
import { isLoopbackHost } from './loopback.ts'

/** Whether mails are sent over TLS only: always, where the server offers it, or for public addresses of its name. */
export type SmtpTlsPolicy = 'required' | 'offered' | 'by-address'

interface Smtp {
  host: string | null
  port: number | null
  /** Null: for port 465. */
  implicitTls: boolean | null
  user: string | null
  tls: 'required' | 'opportunistic'
}

export const isImplicitTls = ({ implicitTls, port }: Pick<Smtp, 'implicitTls' | 'port'>): boolean =>
  implicitTls ?? port === 465

/**
 * Decides about TLS as far as the settings show it. A password needs TLS beyond this machine, whatever the setting; links
 * and codes need it to public hosts.
 */
export function smtpTlsPolicy(smtp: Smtp): SmtpTlsPolicy {
  const host = (smtp.host ?? '').replace(/^\[|\]$/g, '')
  if (isImplicitTls(smtp)) return 'required'
  if (isLoopbackHost(host)) return 'offered'
  if (smtp.user !== null) return 'required'
  if (smtp.tls === 'opportunistic') return 'offered'
  const address = readIpAddress(host)
  if (address === null) return 'by-address'
  return isPublic(address) ? 'required' : 'offered'
}
