import { Resolver } from 'node:dns/promises'
import { type Finding, fine, warning } from './finding.ts'

/** Returns the text records of a name, each joined to one text; none if the name does not exist. */
export type TextRecords = (name: string) => Promise<readonly string[]>

interface Needs {
  selectors: readonly string[]
  findTexts: TextRecords
}

/** The DKIM selectors of common mail providers. Operators name others with `--dkim-selector`. */
const usualSelectors = [
  'default',
  'mail',
  'dkim',
  'smtp',
  'google',
  'selector1',
  'selector2',
  'k1',
  's1',
  's2',
]

/** Domains that cannot be registered, so that they have no records. @see RFC 2606 §2 */
const reserved = /(^|\.)(test|example|invalid|localhost)$/

/**
 * Checks the records that authorize senders of a domain's mail. Receivers classify much of the mail
 * without them as spam.
 *
 * @see RFC 7208, RFC 6376, RFC 7489
 */
export async function checkMailRecords(domain: string, needs: Needs): Promise<Finding[]> {
  if (reserved.test(domain)) return []
  return Promise.all([
    findingOf('SPF', domain, () => checkSpf(domain, needs)),
    findingOf('DKIM', domain, () => checkDkim(domain, needs)),
    findingOf('DMARC', domain, () => checkDmarc(domain, needs)),
  ])
}

async function findingOf(
  about: string,
  domain: string,
  check: () => Promise<Finding>,
): Promise<Finding> {
  try {
    return await check()
  } catch {
    return warning(
      about,
      `the records of ${domain} could not be looked up`,
      'check that DNS works on this machine',
    )
  }
}

async function checkSpf(domain: string, { findTexts }: Needs): Promise<Finding> {
  const records = (await findTexts(domain)).filter((text) => /^v=spf1( |$)/i.test(text))
  const [record = ''] = records
  if (records.length === 0) {
    return warning(
      'SPF',
      `${domain} does not state which servers send its mail`,
      `add a text record to ${domain}, as your mail provider specifies: v=spf1 include:… -all`,
    )
  }
  if (records.length > 1) {
    return warning(
      'SPF',
      `${domain} has ${records.length} records, so receivers ignore all of them`,
      'merge them into one',
    )
  }
  return /\s\+?all\b/i.test(record)
    ? warning(
        'SPF',
        `${domain} allows every server to send its mail`,
        'end the record with -all or ~all',
      )
    : fine('SPF', `${domain} states which servers send its mail`)
}

async function checkDkim(domain: string, { selectors, findTexts }: Needs): Promise<Finding> {
  const named = selectors.length > 0 ? selectors : usualSelectors
  const found = await Promise.all(
    named.map(async (selector) => {
      const texts = await findTexts(`${selector}._domainkey.${domain}`)
      return texts.some((text) => /(^|;)\s*p=\s*[^;\s]/.test(text)) ? selector : null
    }),
  )
  const present = found.filter((selector) => selector !== null)
  return present.length > 0
    ? fine('DKIM', `${domain} has a key under ${present.join(', ')}`)
    : warning(
        'DKIM',
        `${domain} has no key under ${named.join(', ')}`,
        'enable signing at your mail provider, and add the record that it specifies; --dkim-selector NAME checks another name',
      )
}

/** Checks DMARC. A domain without a record uses that of a parent domain. */
async function checkDmarc(domain: string, { findTexts }: Needs): Promise<Finding> {
  const labels = domain.split('.')
  for (let at = 0; at < labels.length - 1; at++) {
    const name = labels.slice(at).join('.')
    const record = (await findTexts(`_dmarc.${name}`)).find((text) =>
      /^v=DMARC1\s*(;|$)/.test(text),
    )
    if (record === undefined) continue
    const [, policy = 'none'] = /;\s*p=\s*(\w+)/.exec(record) ?? []
    return policy === 'none'
      ? warning(
          'DMARC',
          `${name} has a policy without effect`,
          'once its reports are clean: p=quarantine',
        )
      : fine('DMARC', `${name} requires ${policy}`)
  }
  return warning(
    'DMARC',
    `${domain} does not state what receivers should do with forged mail`,
    `add a text record to _dmarc.${domain}: v=DMARC1; p=none; rua=mailto:…`,
  )
}

const nothingThere = new Set(['ENOTFOUND', 'ENODATA'])

/** Looks up text records by the resolver of this machine. */
export const findTexts: TextRecords = async (name) => {
  try {
    const records = await new Resolver({ timeout: 3_000, tries: 2 }).resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (error) {
    if (nothingThere.has(Object(error).code)) return []
    throw error
  }
}
