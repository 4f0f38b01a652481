import { isRecord } from '../kit/is-record.ts'
import type { Config } from './config.ts'
import { nearestName } from './nearest-name.ts'
import { isFailure, type ReadingProblem, show } from './parsers/parser.ts'
import { setAt, valueAt } from './paths.ts'
import type { Report } from './report.ts'
import type { Setting } from './setting.ts'

/** The settings that a configuration contains, before defaults. */
export interface Given {
  /** Reports whether the setting at this path is present, valid or not. */
  has(path: string): boolean
}

/** Returns the settings present in a tree, and those that were reported earlier. */
export function givenIn(
  tree: Record<string, unknown>,
  settings: readonly Setting[],
  report: Report,
): Given {
  const settingsByPath = new Map(settings.map((setting) => [setting.path, setting]))
  return {
    has: (path) => {
      const setting = settingsByPath.get(path)
      return report.hasProblem(path) || (setting !== undefined && isGiven(setting, tree))
    },
  }
}

/**
 * Checks every setting and stores its value, or its default, at its resolved path. Null for
 * settings without a default, and for invalid ones.
 */
export function readSettings(
  tree: Record<string, unknown>,
  settings: readonly Setting[],
  report: Report,
): Config {
  const config: Record<string, unknown> = {}
  for (const setting of settings)
    setAt(config, setting.resolvedPath, readSetting(setting, tree, report))
  // The table contains every path of Config with a value of its type: `settings.test.ts` proves it.
  return config as unknown as Config
}

function readSetting(setting: Setting, tree: Record<string, unknown>, report: Report): unknown {
  if (!isGiven(setting, tree)) return setting.onWhenNamed ? isNamed(setting, tree) : setting.default
  const given = valueAt(tree, setting.path)
  const reading = setting.parser.check(given)
  if (isFailure(reading)) {
    reportFailure(setting, given, reading.problems, report)
    return setting.default
  }
  if (reading.warning) report.warn(setting.path, reading.warning)
  return reading.value
}

/** Reports problems, with the value unless it is a secret or part of a larger value. */
export function reportFailure(
  setting: Setting,
  given: unknown,
  problems: readonly ReadingProblem[],
  report: Report,
): void {
  for (const { message, at } of problems) {
    const isShown = !setting.secret && at === undefined
    report.problem(setting.path, isShown ? `${message}, not ${show(given)}` : message, at)
  }
}

function isGiven({ path, parser }: Setting, tree: Record<string, unknown>): boolean {
  const value = valueAt(tree, path)
  return value !== undefined && !(value === '' && parser.emptyMeansAbsent)
}

const isNamed = ({ path }: Setting, tree: Record<string, unknown>) =>
  isRecord(valueAt(tree, path.slice(0, path.lastIndexOf('.'))))

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
        `must be ${parent === 'hooks' ? 'a function, or an object with uri' : 'an object'}, not ${show(typeof value === 'string' ? 'a string' : value)}`,
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
