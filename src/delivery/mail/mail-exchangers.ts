/** The part of a resolver that tells where mail goes: one of `node:dns/promises` fits. */
export interface MailResolver {
  resolveMx(domain: string): Promise<readonly { exchange: string }[]>
  resolve4(domain: string): Promise<readonly string[]>
  resolve6(domain: string): Promise<readonly string[]>
}

/**
 * The hosts that take a domain's mail, or the addresses of the domain itself where it names none. Empty when there are
 * none for sure.
 *
 * @throws Error when it cannot be known now.
 * @see RFC 5321 §5.1
 */
export async function findMailHosts(resolver: MailResolver, domain: string): Promise<string[]> {
  const exchangers = await unlessNone(resolver.resolveMx(domain))
  if (exchangers.length > 0) {
    // A single dot says that the domain takes no mail. @see RFC 7505
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

/** In lower case, and without the dot that a whole name may end in. */
export const hostOf = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const none: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** Names that do not exist are an answer; a resolver that has trouble gives none. */
async function unlessNone<T>(asked: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await asked
  } catch (error) {
    if (none.has((error as { code?: unknown } | null)?.code)) return []
    throw error
  }
}
