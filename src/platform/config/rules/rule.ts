import type { Config } from '../config.ts'
import type { Given } from '../read-settings.ts'
import type { Report } from '../report.ts'

/** What a rule looks at, and where it says what it found. */
export interface RuleContext {
  config: Config
  given: Given
  report: Report
}

/** Something that must hold between settings. */
export type Rule = (context: RuleContext) => void
