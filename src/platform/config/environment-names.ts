import type { Setting } from './setting.ts'
import { unsupportedSettings } from './settings/unsupported.ts'
import { settings } from './settings.ts'

export const prefix = 'AUTH_'

/** Prefix of the server that people move in from. */
export const formerPrefix = 'GOTRUE_'

/** The names that a setting is read from; the first that is set wins. */
export function namesOf(setting: Setting): string[] {
  const { env, aliases, gotrue, bare } = setting
  if (env === null) return []
  return [
    ...[env, ...aliases].map((name) => prefix + name),
    ...gotrue.map((name) => formerPrefix + name),
    ...bare,
  ]
}

/** What documentation and messages call a setting. */
export const mainName = (env: string): string => prefix + env

/** Every name that means something, of settings with an effect and without. */
export const knownNames: ReadonlySet<string> = new Set([
  ...settings.flatMap(namesOf),
  ...unsupportedSettings.flatMap(({ env }) => [prefix + env, formerPrefix + env]),
])
