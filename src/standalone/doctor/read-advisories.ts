import { isRecord } from '../../platform/kit/is-record.ts'

/**
 * A published vulnerability of Latchkey, with the members that are used here. @see
 * https://ossf.github.io/osv-schema/
 */
export interface Advisory {
  id: string
  /** Its CVE and GHSA ids. */
  aliases: readonly string[]
  summary: string
  /** The affected versions of this package. */
  events: readonly AdvisoryEvent[]
}

export type AdvisoryEvent =
  | { introduced: string }
  /** The first fixed version. */
  | { fixed: string }
  | { last_affected: string }

/**
 * Reads a list of OSV records.
 *
 * @throws TypeError if one is malformed, lacks a CVE or a GHSA id, or affects no range of versions.
 */
export function readAdvisories(list: unknown): Advisory[] {
  if (!Array.isArray(list)) throw new TypeError('advisories: must be a list of OSV records')
  return list.map(readAdvisory)
}

function readAdvisory(record: unknown): Advisory {
  if (!isRecord(record)) throw new TypeError('advisories: a record is not an object')
  const { id, aliases, summary, modified, affected } = record
  const require = (is: boolean, what: string) => {
    if (!is) throw new TypeError(`advisories: ${String(id)}: ${what}`)
  }
  require(isText(id), 'has no id')
  require(isText(summary), 'has no summary')
  require(isText(modified) &&
    !Number.isNaN(Date.parse(modified)), 'does not state when it was modified')
  const names = [id, ...(Array.isArray(aliases) ? aliases : [])].filter(isText)
  require(names.some((name) => name.startsWith('CVE-')), 'has no CVE, which scanners look for')
  require(names.some((name) => name.startsWith('GHSA-')), 'has no GHSA, which npm audit looks for')
  const events = (Array.isArray(affected) ? affected : []).filter(isOurs).flatMap(eventsOf)
  require(events.some((event) => 'introduced' in event), 'affects no version of latchkey')
  return { id: id as string, aliases: names.slice(1), summary: summary as string, events }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isOurs = (affected: unknown): boolean =>
  isRecord(affected) &&
  isRecord(affected['package']) &&
  affected['package']['ecosystem'] === 'npm' &&
  affected['package']['name'] === 'latchkey'

const eventsOf = ({ ranges }: { ranges?: unknown }): AdvisoryEvent[] =>
  (Array.isArray(ranges) ? ranges : [])
    .filter((range) => isRecord(range) && range['type'] === 'SEMVER')
    .flatMap(({ events }) => (Array.isArray(events) ? events : []))
