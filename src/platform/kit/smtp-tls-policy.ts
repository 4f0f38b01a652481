import { isLoopbackHost, isPublic, readIpAddress } from './ip-address.ts'

/**
 * Whether mails are sent only over TLS: always, if the server offers it, or if its name has public
 * addresses.
 */
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
 * Returns the TLS policy as far as the settings determine it. A password requires TLS outside this
 * machine, whatever the setting; links and codes require it to public hosts.
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
