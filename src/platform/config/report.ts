import type { ConfigProblem } from '../errors/config-error.ts'

/** Gathers what is wrong with a configuration, so that all of it can be told at once. */
export interface Report {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
  /** @param at where inside the value, as in `[1].kid`. */
  problem(path: string, message: string, at?: string): void
  warn(path: string, message: string): void
  /** Whether a setting, or a section that holds it, is known to be wrong. */
  hasProblem(path: string): boolean
  /** What the giver of the configuration calls a setting. */
  name(path: string): string
}

/** @param name turns the path of a setting into what its giver calls it. Default: the path. */
export function createReport(name: (path: string) => string = (path) => path): Report {
  const places = new Set<string>()
  const problems: ConfigProblem[] = []
  const warnings: string[] = []
  const hasProblem = (path: string): boolean =>
    path !== '' && (places.has(path) || hasProblem(parentOf(path)))
  return {
    problems,
    warnings,
    name,
    hasProblem,
    problem: (path, message, at = '') => {
      places.add(path)
      problems.push({ path: name(path) + at, message })
    },
    warn: (path, message) => {
      warnings.push(`${name(path)} ${message}`)
    },
  }
}

const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('.'), 0))
