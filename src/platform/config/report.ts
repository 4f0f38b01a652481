import type { ConfigProblem } from '../errors/start-errors.ts'

/** A collection of problems and warnings, so that all are reported at once. */
export interface Report {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
  /** @param at the place inside the value, as in `[1].kid`. */
  problem(path: string, message: string, at?: string): void
  warn(path: string, message: string): void
  /** Reports whether a problem is known for a setting or a section that contains it. */
  hasProblem(path: string): boolean
  /** Returns the caller's name of a setting. */
  name(path: string): string
}

/** @param name returns the caller's name for the path of a setting. Default: the path. */
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
