import { isRecord } from '../kit/is-record.ts'
import type { Config } from './config.ts'
import { isFailure, type ReadingProblem, show } from './kinds/kind.ts'
import { setAt, valueAt } from './paths.ts'
import type { Report } from './report.ts'
import type { Setting } from './setting.ts'

/** What a configuration says, before defaults. */
export interface Given {
  /** Whether the setting at this path was given at all, right or wrong. */
  has(path: string): boolean
}

/** The values in a tree, and those that were reported before they came into it. */
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
 * Checks every setting and puts its value, or its default, at its resolved path. What has no default
 * of its own is null; so is the result of a setting that is wrong.
 */
export function readSettings(
  tree: Record<string, unknown>,
  settings: readonly Setting[],
  report: Report,
): Config {
  const config: Record<string, unknown> = {}
  for (const setting of settings)
    setAt(config, setting.resolvedPath, readSetting(setting, tree, report))
  // The table holds every path of Config with a value of its type: `settings.test.ts` proves it.
  return config as unknown as Config
}

function readSetting(setting: Setting, tree: Record<string, unknown>, report: Report): unknown {
  if (!isGiven(setting, tree)) return setting.onWhenNamed ? isNamed(setting, tree) : setting.default
  const given = valueAt(tree, setting.path)
  const reading = setting.kind.check(given)
  if (isFailure(reading)) {
    reportFailure(setting, given, reading.problems, report)
    return setting.default
  }
  if (reading.warning) report.warn(setting.path, reading.warning)
  return reading.value
}

/** Reports what is wrong, with the value unless that is a secret or part of a larger whole. */
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

function isGiven({ path, kind }: Setting, tree: Record<string, unknown>): boolean {
  const value = valueAt(tree, path)
  return value !== undefined && !(value === '' && kind.emptyMeansAbsent)
}

const isNamed = ({ path }: Setting, tree: Record<string, unknown>) =>
  isRecord(valueAt(tree, path.slice(0, path.lastIndexOf('.'))))
