import { readFileSync } from 'node:fs'
import semver from 'semver'
import shipped from '../../../security/advisories.json' with { type: 'json' }
import { type Finding, fine, problem } from './finding.ts'
import { type Advisory, type AdvisoryEvent, readAdvisories } from './read-advisories.ts'

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
  const from = file === undefined ? 'that this version contains' : `of ${file}`
  return [fine('advisories', `${version} is in none of the ${advisories.length} ${from}`)]
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
