import { settings } from '../settings.ts'
import type { Rule } from './rule.ts'

/**
 * Warns about deprecated settings and names their replacement. They have an effect until a later
 * minor release removes them, as stated in its `CHANGELOG.md`.
 */
export const warnOfDeprecated: Rule = ({ given, report }) => {
  for (const { path, deprecatedFor } of settings) {
    if (deprecatedFor === null || !given.has(path) || report.hasProblem(path)) continue
    report.warn(
      path,
      `is deprecated and will be removed in a later release: use ${report.name(deprecatedFor)}`,
    )
  }
}
