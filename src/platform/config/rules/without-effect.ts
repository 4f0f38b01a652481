import type { Config } from '../config.ts'
import { valueAt } from '../paths.ts'
import type { Given } from '../read-settings.ts'
import type { Setting } from '../setting.ts'
import { settings } from '../settings.ts'
import type { Rule } from './rule.ts'

/** Returns the replacement in an application. */
const insteadOf = (path: string): string =>
  path.startsWith('log.') ? 'give `logger` instead' : 'the host decides it'

/**
 * Warns of settings for the standalone server in an application.
 *
 * @param isServed whether the standalone server uses the configuration.
 */
export const warnOfServerOnly =
  (isServed: boolean): Rule =>
  ({ config, given, report }) => {
    if (isServed) return
    // Without a mount path, development derives the external URL from the server's address.
    const namesAddress = config.development && config.basePath === ''
    for (const { path, serverOnly } of settings) {
      if (!serverOnly || !given.has(path) || report.hasProblem(path)) continue
      if (path === 'server.port' && namesAddress) continue
      report.warn(path, `has an effect under \`latchkey serve\` only: ${insteadOf(path)}`)
    }
  }

/**
 * Warns of a response delay without effect: in processes that stay alive, messages are sent after
 * the response.
 */
export const warnOfIdleDelay: Rule = ({ config: { background }, given, report }) => {
  const path = 'background.answerDelaySeconds'
  if (!given.has(path) || report.hasProblem(path)) return
  if (!background.frozenBetweenRequests) {
    const needed = report.name('background.frozenBetweenRequests')
    report.warn(path, `has no effect without ${needed}`)
  } else if (background.waitUntil !== null) {
    report.warn(path, `has no effect with ${report.name('background.waitUntil')}`)
  }
}

/** Warns of diagnostics of exporters that do not run, and of those that the server does not log. */
export const warnOfIdleDiagnostics =
  (isServed: boolean): Rule =>
  ({ config: { telemetry, log }, report }) => {
    const path = 'telemetry.debug'
    if (!telemetry.debug) return
    const [tracing, metrics] = ['telemetry.tracing.enabled', 'telemetry.metrics.enabled']
    if (!telemetry.tracing.enabled && !telemetry.metrics.enabled) {
      report.warn(path, `has no effect without ${report.name(tracing)} or ${report.name(metrics)}`)
    } else if (isServed && log.level !== 'debug') {
      report.warn(path, `has no effect unless ${report.name('log.level')} is debug`)
    }
  }

/**
 * Warns of settings of features that are not built yet, once per section. None of them is a
 * protection.
 */
export const reportNotBuilt: Rule = ({ config, given, report }) => {
  const changed = settings
    .filter((setting) => differsFromDefault(setting, config, given))
    .filter(({ path }) => !report.hasProblem(path))
  for (const section of inSections(changed)) {
    const [first = '', ...others] = section.map(({ path }) => path)
    const names = others.map((path) => report.name(path)).join(', ')
    const them = names === '' ? 'has no effect' : `has no effect, and neither have ${names}`
    report.warn(first, `${them}: the feature is not built yet in this version of Latchkey`)
  }
}

/** Reports whether a setting has another value than its default. */
function differsFromDefault(setting: Setting, config: Config, given: Given): boolean {
  if (setting.status === 'live') return false
  if (typeof setting.default !== 'boolean') return given.has(setting.path)
  return valueAt(config, setting.resolvedPath) !== setting.default
}

const sectionOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('.'), 0))

function inSections(some: readonly Setting[]): Setting[][] {
  const sections = new Map<string, Setting[]>()
  for (const setting of some) {
    const section = sectionOf(setting.path)
    sections.set(section, [...(sections.get(section) ?? []), setting])
  }
  return [...sections.values()]
}

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
