import { settings } from '../settings.ts'
import type { Rule } from './rule.ts'

/**
 * Says of deprecated settings what takes their place. They act until a later minor release leaves them out, whose
 * `CHANGELOG.md` says so.
 */
export const warnOfDeprecated: Rule = ({ given, report }) => {
  for (const { path, deprecatedFor } of settings) {
    if (deprecatedFor === null || !given.has(path) || report.hasProblem(path)) continue
    report.warn(
      path,
      `is deprecated, and acts until a later release: use ${report.name(deprecatedFor)}`,
    )
  }
}
