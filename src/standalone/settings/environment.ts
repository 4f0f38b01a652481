import { examineConfig, isProductionEnv } from '../../platform/config/check-config.ts'
import type { AuthConfig, Config } from '../../platform/config/config.ts'
import { mainName, namesOf, prefix } from '../../platform/config/environment-names.ts'
import { isFailure } from '../../platform/config/parsers/parser.ts'
import { setAt, valueAt } from '../../platform/config/paths.ts'
import { reportFailure } from '../../platform/config/read-settings.ts'
import { createReport, type Report } from '../../platform/config/report.ts'
import type { Setting } from '../../platform/config/setting.ts'
import { settings } from '../../platform/config/settings.ts'
import { ConfigError, type ConfigProblem } from '../../platform/errors/start-errors.ts'
import {
  type Environment,
  findUnsupported,
  type GivenSetting,
  isUnreadBareName,
  misspelledProtections,
  remarkOn,
} from './environment-remarks.ts'

export interface EnvironmentReading {
  config: AuthConfig
  /** The problems, by name. Their values are absent from `config`. */
  problems: readonly ConfigProblem[]
  /** Remarks on names without effect, and former names. */
  remarks: readonly string[]
  /** The settings found, in the order of the documentation. */
  given: readonly GivenSetting[]
}

/** Reads an environment into the form that `createAuth` accepts. No setting is required. */
export function readEnvironment(env: Environment): EnvironmentReading {
  const { report, ...reading } = read(env)
  return { ...reading, problems: report.problems }
}

export interface CheckedEnvironment extends Omit<EnvironmentReading, 'problems'> {
  /** The resolved configuration. */
  resolved: Config
  /** Warnings about settings that work, but perhaps not as intended. `createAuth` logs the same. */
  warnings: readonly string[]
  /** Returns the environment's name of the setting at a path. */
  nameOf(path: string): string
}

/**
 * Checks an environment as a whole, as `createAuth` checks a configuration. In addition,
 * API_EXTERNAL_URL and the redirect URIs of providers are required.
 *
 * @param options.development fills in missing settings, and sets `development` in the result.
 * @param options.needs permits that all other settings are missing, for a command that does not use
 *   them.
 * @throws ConfigError with all problems, by name, as in `AUTH_SITE_URL`.
 */
export function checkEnvironment(
  env: Environment,
  { needs, ...options }: { development?: boolean; needs?: SettingsNeeded } = {},
): CheckedEnvironment {
  const { problems: all, ...checked } = examineEnvironment(env, options)
  const problems = needs ? problemsFor(needs, all) : all
  if (problems.length === 0) return checked
  // A misspelled name may be why a setting is missing.
  const warnings = needs ? [] : checked.warnings
  const notes = [...checked.remarks, ...warnings].map((note) => `warning: ${note}`)
  throw new ConfigError(problems, notes.length === 0 ? undefined : notes.join('\n'))
}

/** The settings that a command requires; of all others only invalid values are problems. */
export type SettingsNeeded = 'database' | 'root keys' | 'generated keys'

/**
 * The required settings of each kind of command, by path, each with the problem that is reported if
 * it is missing; null for the problem itself.
 */
const neededSettings: Record<SettingsNeeded, Readonly<Record<string, ConfigProblem | null>>> = {
  database: { 'database.url': null },
  'root keys': { 'database.url': null, 'jwt.secret': null, encryptionKey: null },
  'generated keys': {
    'database.url': null,
    // It is accepted, too: a service with a signing secret has root keys, and no generated keys.
    'jwt.secret': {
      path: 'encryptionKey',
      message: 'is required: the secret that seals the generated signing keys of the service',
    },
    encryptionKey: null,
  },
}

/**
 * Returns the problems that concern a command with these needs.
 *
 * @param nameOf returns the name of the setting at a path, as the problem contains it.
 */
export const problemsFor = (
  needs: SettingsNeeded,
  problems: readonly ConfigProblem[],
  nameOf: (path: string) => string = usualName,
): ConfigProblem[] =>
  problems.flatMap(({ path, message }) => {
    if (!message.startsWith('is required')) return [{ path, message }]
    const needed = Object.entries(neededSettings[needs]).find(([one]) => nameOf(one) === path)
    if (!needed) return []
    const [, reported] = needed
    return [reported ? { ...reported, path: nameOf(reported.path) } : { path, message }]
  })

/** Returns the problems in place of an exception. `resolved` may be used only if there are none. */
export function examineEnvironment(
  env: Environment,
  { development = false }: { development?: boolean } = {},
): CheckedEnvironment & { problems: readonly ConfigProblem[] } {
  const { report, config, remarks, given } = read(env)
  if (development) config.development = true
  const production = isProductionEnv(env.NODE_ENV)
  const resolved = examineConfig(config, report, { production, explicit: true })
  const problems = report.problems.map((problem) => withBareName(problem, env))
  const { warnings, name: nameOf } = report
  return { config, resolved, given, remarks, warnings, nameOf, problems }
}

/** Adds to a missing setting that a variable with its name, but without the prefix, is set. */
function withBareName({ path, message }: ConfigProblem, env: Environment): ConfigProblem {
  const bare = path.startsWith(prefix) ? path.slice(prefix.length) : null
  if (!message.startsWith('is required') || !isUnreadBareName(env, bare)) return { path, message }
  return { path, message: `${message}. ${bare} is set, and is not read without ${prefix}` }
}

function read(env: Environment) {
  const found = findSettings(env)
  const names = new Map(found.map(({ setting, name }) => [setting.path, name]))
  const report = createReport((path) => names.get(path) ?? usualName(path))
  const config = readFound(found, env, report)
  for (const { name, message } of misspelledProtections(env)) report.problem(name, message)
  const given = [...found.map(describeFound), ...findUnsupported(env)]
  return { config, report, given, remarks: remarkOn(env, given, config) }
}

interface Found {
  setting: Setting
  name: string
}

const describeFound = ({ name, setting }: Found): GivenSetting => ({
  name,
  usualName: usualName(setting.path),
  path: setting.path,
  status: setting.status,
  description: setting.description,
})

const findSettings = (env: Environment): Found[] =>
  settings.flatMap((setting) => {
    const name = namesOf(setting).find((name) => isSet(env[name], setting))
    return name === undefined ? [] : [{ setting, name }]
  })

const isSet = (text: string | undefined, { parser }: Setting) =>
  text !== undefined && !(text === '' && parser.emptyMeansAbsent)

function readFound(found: readonly Found[], env: Environment, report: Report): AuthConfig {
  const config: Record<string, unknown> = {}
  for (const { setting, name } of found) {
    const value = readText(setting, env[name] ?? '', report)
    if (value !== undefined) setAt(config, setting.path, value)
  }
  for (const { path, onWhenNamed } of settings) {
    const isNamed = valueAt(config, path.slice(0, path.lastIndexOf('.'))) !== undefined
    // In code, naming a provider enables it. In the environment its switch must be set.
    if (onWhenNamed && isNamed && valueAt(config, path) === undefined) setAt(config, path, false)
  }
  return config
}

/** Parses the text of a setting into its value in code; undefined if it is invalid. */
function readText(setting: Setting, text: string, report: Report): unknown {
  const given = setting.parser.parse(text)
  const reading = isFailure(given) ? given : setting.parser.check(given.value)
  if (isFailure(reading)) {
    reportFailure(setting, text, reading.problems, report)
    return undefined
  }
  if (isFailure(given)) return undefined
  if (given.warning) report.warn(setting.path, given.warning)
  if (setting.parser.name !== 'template' && /^\s*(["']).*\1\s*$/s.test(text)) {
    report.warn(
      setting.path,
      'is in quotes, which are part of its value: docker --env-file keeps them',
    )
  }
  return given.value
}

/** Returns the documented name of the setting at a path. */
function usualName(path: string): string {
  const setting = settings.find((one) => one.path === path || one.path === `${path}.enabled`)
  return setting?.env ? mainName(setting.env) : path
}
