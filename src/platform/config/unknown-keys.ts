import { isRecord } from '../kit/is-record.ts'
import { nearestName } from './nearest-name.ts'
import { show } from './parsers/parser.ts'
import type { Report } from './report.ts'

/** Reports keys that are not settings, and values in place of sections. */
export function reportUnknownKeys(
  given: Record<string, unknown>,
  paths: Iterable<string>,
  report: Report,
): void {
  visit(given, '', childrenByParent(paths), report)
}

function visit(
  section: Record<string, unknown>,
  parent: string,
  children: Map<string, Set<string>>,
  report: Report,
): void {
  const known = children.get(parent) ?? new Set()
  for (const [key, value] of Object.entries(section)) {
    const path = parent === '' ? key : `${parent}.${key}`
    if (!known.has(key)) report.problem(path, unknownKey(key, known))
    else if (!children.has(path) || value === undefined) continue
    else if (isRecord(value)) visit(value, path, children, report)
    else
      report.problem(
        path,
        `must be an object, not ${show(typeof value === 'string' ? 'a string' : value)}`,
      )
  }
}

function unknownKey(key: string, known: Iterable<string>): string {
  const nearest = nearestName(key, known)
  return `is not a setting${nearest ? `; did you mean ${nearest}?` : ''}`
}

/** Returns the keys of each section, by the path of the section; '' is the root. */
function childrenByParent(paths: Iterable<string>): Map<string, Set<string>> {
  const children = new Map<string, Set<string>>()
  for (const path of paths) {
    const keys = path.split('.')
    keys.forEach((key, index) => {
      const parent = keys.slice(0, index).join('.')
      children.set(parent, (children.get(parent) ?? new Set()).add(key))
    })
  }
  return children
}
