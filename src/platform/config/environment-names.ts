import type { Setting } from './setting.ts'
import { unsupportedSettings } from './settings/unsupported.ts'
import { settings } from './settings.ts'

export const prefix = 'AUTH_'

/** The prefix of GoTrue's settings. */
export const formerPrefix = 'GOTRUE_'

/** Returns the names that a setting is read from; the first that is set is used. */
export function namesOf(setting: Setting): string[] {
  const { env, aliases, gotrue, bare } = setting
  if (env === null) return []
  return [
    ...[env, ...aliases].map((name) => prefix + name),
    ...gotrue.map((name) => formerPrefix + name),
    ...bare,
  ]
}

/** Returns the name of a setting in documentation and messages. */
export const mainName = (env: string): string => prefix + env

/** The names of the setting that a name belongs to. */
export const namesBeside: ReadonlyMap<string, readonly string[]> = new Map(
  settings.flatMap((setting) => {
    const names = namesOf(setting)
    return names.map((name) => [name, names] as const)
  }),
)

/** All known names, of settings with and without effect. */
export const knownNames: ReadonlySet<string> = new Set([
  ...settings.flatMap(namesOf),
  ...unsupportedSettings.flatMap(({ env }) => [prefix + env, formerPrefix + env]),
])
