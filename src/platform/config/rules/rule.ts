import type { Config } from '../config.ts'
import type { Given } from '../read-settings.ts'
import type { Report } from '../report.ts'

/** The configuration that a rule checks, and the report of its findings. */
export interface RuleContext {
  config: Config
  given: Given
  report: Report
}

/** A condition that several settings must meet. */
export type Rule = (context: RuleContext) => void
