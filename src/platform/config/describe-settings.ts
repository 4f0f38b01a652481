import { formerPrefix, mainName, namesOf } from './environment-names.ts'
import type { Setting, SettingStatus, UnsupportedSetting } from './setting.ts'
import { unsupportedSettings } from './settings/unsupported.ts'
import { settingAt, settingGroups } from './settings.ts'

/** The documentation of one setting, or of one member of a family such as the providers. */
export interface SettingDescription {
  /** The names in the environment, the usual one first; empty for settings that only code has. */
  names: readonly string[]
  /** The path in code; null for former settings. */
  path: string | null
  /** The kind of the value: `seconds`, `list`, `URL`, or the permitted words. */
  value: string
  default: string
  description: string
  status: SettingStatus
}

export interface SettingGroupDescription {
  title: string
  settings: readonly SettingDescription[]
}

/** Returns all settings in reading order, for documentation and `latchkey doctor`. */
export function describeSettings(): SettingGroupDescription[] {
  const groups = settingGroups.map(({ title, settings }) => ({
    title,
    settings: withoutRepeats<Setting>(settings).map(describe),
  }))
  return [
    ...groups,
    { title: 'Without effect', settings: withoutRepeats(unsupportedSettings).map(describePast) },
  ]
}

/** Keeps one setting of each family. */
function withoutRepeats<One extends { family?: string | { path: string } | null }>(
  settings: readonly One[],
): One[] {
  const families = new Set<string>()
  return settings.filter(({ family }) => {
    if (!family) return true
    const name = typeof family === 'string' ? family : family.path
    const isFirst = !families.has(name)
    families.add(name)
    return isFirst
  })
}

function describe(setting: Setting): SettingDescription {
  const { path, family, parser, description, status } = setting
  return {
    names: family ? familyNames(family) : namesOf(setting).filter(isCurrent),
    path: family?.path ?? path,
    value: parser.name,
    default: setting.defaultText ?? showDefault(setting.default),
    description: [description, ...remarksOn(setting)].join(' '),
    status,
  }
}

const remarksOn = ({ serverOnly, deprecatedFor }: Setting): string[] => [
  ...(serverOnly ? ['For `latchkey serve` only.'] : []),
  ...(deprecatedFor === null ? [] : [`Deprecated: use ${code(nameAt(deprecatedFor))}.`]),
]

/** Returns the documented name of the setting at a path. */
const nameAt = (path: string): string => {
  const env = settingAt(path)?.env
  return env ? mainName(env) : path
}

const familyNames = ({ env }: { env: string | null }) => (env === null ? [] : [mainName(env)])

const isCurrent = (name: string) => !name.startsWith(formerPrefix)

const describePast = ({ env, family, description }: UnsupportedSetting): SettingDescription => ({
  names: [mainName(family ?? env)],
  path: null,
  value: '',
  default: '',
  description,
  status: 'unsupported',
})

function showDefault(value: unknown): string {
  if (value === null || value === '') return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : code(value.join(','))
  if (typeof value === 'object') return 'none'
  return code(String(value))
}

const code = (text: string) => `\`${text}\``
