/** Domains of documentation, and common misspellings of large providers. */
const domains: ReadonlySet<string> = new Set([
  'example.com',
  'example.net',
  'example.org',
  'test.com',
  'gamil.com',
  'gmai.com',
  'gmail.co',
  'gmail.con',
  'gmial.com',
  'gnail.com',
  'hotmai.com',
  'hotmail.con',
  'hotmial.com',
  'outlok.com',
  'yaho.com',
  'yahoo.con',
])

/** Top-level domains that cannot be registered. @see RFC 6761, RFC 6762 */
const endings: ReadonlySet<string> = new Set(['test', 'example', 'invalid', 'local', 'localhost'])

const names: ReadonlySet<string> = new Set(['test', 'example', 'asdf', 'qwerty', 'user', 'foo'])

/** Gmail's minimum length of names. */
const leastGmailLength = 6

/** Reports whether an address is a common placeholder. */
export function isPlaceholder(email: string): boolean {
  const [name = '', domain = ''] = email.split('@')
  const labels = domain.split('.')
  if (labels.length < 2 || endings.has(labels.at(-1) ?? '') || domains.has(domain)) return true
  if (domain !== 'gmail.com' && domain !== 'googlemail.com') return false
  const [mailbox = ''] = name.split('+')
  return names.has(mailbox) || mailbox.length < leastGmailLength
}
