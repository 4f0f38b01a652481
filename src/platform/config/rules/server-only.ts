import { settings } from '../settings.ts'
import type { Rule } from './rule.ts'

/** What does it instead in an application. */
const insteadOf = (path: string): string =>
  path.startsWith('log.') ? 'give `logger` instead' : 'it is for the host to say'

/**
 * Warns of settings that our own server alone acts on, where an application gives them.
 *
 * @param isServed whether that server is what they are given to.
 */
export const warnOfServerOnly =
  (isServed: boolean): Rule =>
  ({ config, given, report }) => {
    if (isServed) return
    // Not mounted below a path, development takes the server's own address for its external URL.
    const namesAddress = config.development && config.basePath === ''
    for (const { path, serverOnly } of settings) {
      if (!serverOnly || !given.has(path) || report.hasProblem(path)) continue
      if (path === 'server.port' && namesAddress) continue
      report.warn(path, `has an effect under \`latchkey serve\` alone: ${insteadOf(path)}`)
    }
  }
