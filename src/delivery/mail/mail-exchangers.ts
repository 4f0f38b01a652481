/** The part of a resolver for mail hosts: one of `node:dns/promises` fits. */
export interface MailResolver {
  resolveMx(domain: string): Promise<readonly { exchange: string }[]>
  resolve4(domain: string): Promise<readonly string[]>
  resolve6(domain: string): Promise<readonly string[]>
}

/**
 * Returns the hosts that accept a domain's mail, or the domain's own addresses if it has no MX
 * record. Empty if there are certainly none.
 *
 * @throws Error if it cannot be determined now.
 * @see RFC 5321 §5.1
 */
export async function findMailHosts(resolver: MailResolver, domain: string): Promise<string[]> {
  const exchangers = await unlessNone(resolver.resolveMx(domain))
  if (exchangers.length > 0) {
    // A single dot states that the domain accepts no mail. @see RFC 7505
    return exchangers.map(({ exchange }) => hostOf(exchange)).filter((host) => host !== '')
  }
  const found = await Promise.allSettled([
    unlessNone(resolver.resolve4(domain)),
    unlessNone(resolver.resolve6(domain)),
  ])
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? [...one.value] : []))
  const failed = found.find((one) => one.status === 'rejected')
  if (addresses.length === 0 && failed) throw failed.reason
  return addresses
}

/** Returns the name in lower case, without a final dot. */
export const hostOf = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const none: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** Returns no records for a name that does not exist; other errors of the resolver are thrown. */
async function unlessNone<T>(query: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await query
  } catch (error) {
    if (none.has((error as { code?: unknown } | null)?.code)) return []
    throw error
  }
}
