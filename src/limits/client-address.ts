import { clientNetwork, type IpAddress, isPublic, readIpAddress } from '../kit/ip-address.ts'

/** Which headers of a request may be believed: those that a proxy of the operator's sets. */
export interface ForwardingTrust {
  /** `RATE_LIMIT_HEADER` */
  header: string | null
  /** Whether `Svc-Forwarded-For` is set by the proxy. */
  forwardedFor: boolean
}

/** Who asks, as far as the network tells. */
export interface Client {
  /** The address to note with sessions and audit entries; null where it is not known. */
  ip: string | null
  /**
   * What limits per client are counted under; null where clients cannot be told apart, as behind a
   * proxy that was not declared, since all of them would share one limit.
   */
  key(): string | null
}

interface Needs {
  header(name: string): string | null
  /** The socket's peer. */
  peer: string | null
}

/** The header that some deployments call by its older name. */
const forwardedForHeaders = ['svc-forwarded-for', 'sb-forwarded-for']

/**
 * Finds out who asks. This is the only place where an address is taken from a request.
 *
 * In this order: the header that the operator declared, `Svc-Forwarded-For` where it is switched on,
 * the socket's peer. No other header is believed: anybody can send one.
 */
export function findClient({ header, peer }: Needs, trust: ForwardingTrust): Client {
  const declared = trust.header && firstValue(header(trust.header))
  const forwarded = trust.forwardedFor ? firstAddress(forwardedForHeaders.map(header)) : null
  const socket = readIpAddress(peer ?? '')
  const address = forwarded ?? readIpAddress(declared ?? '') ?? socket
  return {
    ip: address?.text ?? null,
    key: () => clientKey(declared, forwarded, socket),
  }
}

function clientKey(
  declared: string | null,
  forwarded: IpAddress | null,
  peer: IpAddress | null,
): string | null {
  if (declared) {
    const address = readIpAddress(declared)
    return address ? clientNetwork(address) : declared
  }
  if (forwarded) return clientNetwork(forwarded)
  return peer && isPublic(peer) ? clientNetwork(peer) : null
}

const firstValue = (list: string | null): string | null => list?.split(',')[0]?.trim() || null

function firstAddress(lists: (string | null)[]): IpAddress | null {
  for (const list of lists) {
    const address = readIpAddress(firstValue(list) ?? '')
    if (address) return address
  }
  return null
}
