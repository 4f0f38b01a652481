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
