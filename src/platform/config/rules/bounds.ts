import { valueAt } from '../paths.ts'
import { settings } from '../settings.ts'
import type { Rule } from './rule.ts'

/** Rejects values beyond a ceiling, and warns about unusual ones. @see docs/security.md */
export const requireWithinBounds: Rule = ({ config, report }) => {
  for (const { path, resolvedPath, bounds } of settings) {
    const value = bounds && valueAt(config, resolvedPath)
    if (bounds === null || typeof value !== 'number') continue
    const { unit, unusual, ceiling, source } = bounds
    if (value > ceiling)
      report.problem(path, `must not be more than ${ceiling} ${unit} (${source})`)
    else if (value > unusual) {
      const excess = unit === 'seconds' ? 'long' : 'large'
      report.warn(path, `is unusually ${excess}: ${value} ${unit}, where ${unusual} are common`)
    }
  }
}
