import { readFileSync } from 'node:fs'
import semver from 'semver'
import shipped from '../../../security/advisories.json' with { type: 'json' }
import { isRecord } from '../../platform/kit/is-record.ts'
import { type Finding, fine, problem } from '../../service/doctor/finding.ts'

/**
 * Reports published vulnerabilities of a version of Latchkey. Makes no network request: it reads
 * the list in the package, or a newer one from a file.
 */
export function checkAdvisories(version: string, file?: string): Finding[] {
  let advisories: Advisory[]
  try {
    advisories = readAdvisories(
      file === undefined ? shipped : JSON.parse(readFileSync(file, 'utf8')),
    )
  } catch (error) {
    return [
      problem(
        'advisories',
        error,
        "name a file in the format of the repository's security/advisories.json: --advisories FILE",
      ),
    ]
  }
  const found = advisories.filter(({ events }) => isAffected(version, events))
  if (found.length > 0) return found.map((advisory) => affectedBy(advisory, version))
  const list = file ?? 'this package'
  const message = `${version} is in no published advisory; the list in ${list} has ${advisories.length}`
  return [fine('advisories', message)]
}

/**
 * Applies the events in the order of versions, as OSV specifies: the last one up to this version
 * decides.
 */
function isAffected(version: string, events: readonly AdvisoryEvent[]): boolean {
  const sorted = events.toSorted((one, other) => semver.compare(versionIn(one), versionIn(other)))
  let isIn = false
  for (const event of sorted) {
    if ('introduced' in event && semver.gte(version, versionIn(event))) isIn = true
    if ('fixed' in event && semver.gte(version, event.fixed)) isIn = false
    if ('last_affected' in event && semver.gt(version, event.last_affected)) isIn = false
  }
  return isIn
}

/** Returns the version of an event; `0` is before every version. */
function versionIn(event: AdvisoryEvent): string {
  const [version = '0'] = Object.values(event)
  return version === '0' ? '0.0.0-0' : version
}

function affectedBy({ id, aliases, summary, events }: Advisory, version: string): Finding {
  const fixes = events.flatMap((event) => ('fixed' in event ? [event.fixed] : []))
  const next = fixes.filter((fixed) => semver.gt(fixed, version)).toSorted(semver.compare)[0]
  return problem(
    'advisories',
    `${version} is affected by ${[id, ...aliases].join(', ')}: ${summary}`,
    next === undefined
      ? 'no fixed version is available: read the advisory for a workaround'
      : `update to ${next} or later`,
  )
}

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
