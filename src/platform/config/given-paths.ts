import type { AuthConfig } from './auth-config.ts'
import { customProvidersIn } from './custom-providers.ts'
import { givenIn } from './read-settings.ts'
import { createReport } from './report.ts'
import { settingsWith } from './settings.ts'
import { expandShorthands } from './shorthands.ts'

/** Returns the paths of the settings that a configuration contains, before defaults. */
export function givenPathsOf(given: AuthConfig): ReadonlySet<string> {
  const report = createReport()
  const tree = expandShorthands(given, report)
  const settings = settingsWith(customProvidersIn(tree, report))
  const { has } = givenIn(tree, settings, report)
  return new Set(settings.filter(({ path }) => has(path)).map(({ path }) => path))
}
