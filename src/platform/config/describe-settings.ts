import { formerPrefix, mainName, namesOf } from './environment-names.ts'
import type { Setting, SettingStatus, UnsupportedSetting } from './setting.ts'
import { unsupportedSettings } from './settings/unsupported.ts'
import { settingAt, settingGroups } from './settings.ts'

/** One setting, or one member of a family such as the providers, as people read about it. */
export interface SettingDescription {
  /** In the environment, the usual name first; none when only code can say it. */
  names: readonly string[]
  /** In code; null for settings of the past. */
  path: string | null
  /** What kind of value: `seconds`, `list`, `URL`, the words to choose from. */
  value: string
  default: string
  description: string
  status: SettingStatus
}

export interface SettingGroupDescription {
  title: string
  settings: readonly SettingDescription[]
}

/** All settings there are, in reading order, for documentation and for `latchkey doctor`. */
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

/** One of each family stands for all. */
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
  const { path, family, kind, description, status } = setting
  return {
    names: family ? familyNames(family) : namesOf(setting).filter(isCurrent),
    path: family?.path ?? path,
    value: kind.name,
    default: setting.defaultText ?? showDefault(setting.default),
    description: [description, ...remarksOn(setting)].join(' '),
    status,
  }
}

const remarksOn = ({ serverOnly, deprecatedFor }: Setting): string[] => [
  ...(serverOnly ? ['Of `latchkey serve` alone.'] : []),
  ...(deprecatedFor === null ? [] : [`Deprecated: use ${code(nameAt(deprecatedFor))}.`]),
]

/** What the documentation calls the setting at a path. */
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
