import type { AuthConfig } from '../../platform/config/config.ts'
import {
  formerPrefix,
  knownNames,
  namesOf,
  prefix,
} from '../../platform/config/environment-names.ts'
import { nearestName } from '../../platform/config/nearest-name.ts'
import type { SettingStatus } from '../../platform/config/setting.ts'
import { unsupportedSettings } from '../../platform/config/settings/unsupported.ts'
import { settings } from '../../platform/config/settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting that an environment contains. */
export interface GivenSetting {
  /** The name as found, as in `AUTH_SITE_URL`. */
  name: string
  /** The name in the documentation. */
  usualName: string
  /** The path in code; null for a setting of the environment only. */
  path: string | null
  status: SettingStatus
  description: string
}

/** Returns the former, unsupported settings that an environment contains. */
export const findUnsupported = (env: Environment): GivenSetting[] =>
  unsupportedSettings.flatMap(({ env: name, description }) =>
    [prefix + name, formerPrefix + name]
      .filter((one) => env[one])
      .map((one) => ({
        name: one,
        usualName: prefix + name,
        path: null,
        status: 'unsupported' as const,
        description,
      })),
  )

/** Returns remarks for the author of an environment: names without effect, and former names. */
export function remarkOn(
  env: Environment,
  given: readonly GivenSetting[],
  config: AuthConfig,
): string[] {
  const unsupported = given
    .filter(({ status }) => status === 'unsupported')
    .map(({ name, description }) =>
      name === importKeys
        ? `${name} is read by \`latchkey import gotrue\` only. The server does not need it`
        : `${name} has no effect. ${description}`,
    )
  return [
    ...unsupported,
    ...remarkOnSwitches(given),
    ...remarkOnOverridden(env, given),
    ...unknownNames(env).map((name) => `${name} ${unknownName(name)}`),
    ...remarkOnSpelling(env),
    ...remarkOnBare(env),
    ...remarkOnOpenTelemetry(env, config),
    ...remarkOnTls(env),
    ...remarkOnFormer(env, given.filter(isFormer)),
  ]
}

/**
 * Reports settings whose switch is off. In code, naming a provider, a hook or captchas enables it;
 * in the environment the switch is a setting of its own.
 */
function remarkOnSwitches(given: readonly GivenSetting[]): string[] {
  return settings.flatMap(({ path, env, onWhenNamed }) => {
    if (!onWhenNamed || env === null || given.some((one) => one.path === path)) return []
    const family = path.slice(0, path.lastIndexOf('.') + 1)
    const beside = given.filter((one) => one.path?.startsWith(family)).map(({ name }) => name)
    return beside.length === 0
      ? []
      : [`${prefix}${env} is not set: without it ${beside.join(', ')} has no effect`]
  })
}

/**
 * Reports settings under two names with different values. Names without a prefix may be for another
 * program.
 */
function remarkOnOverridden(env: Environment, given: readonly GivenSetting[]): string[] {
  return settings.flatMap((setting) => {
    const used = given.find(({ path }) => path === setting.path)?.name
    if (used === undefined) return []
    return namesOf(setting)
      .filter((name) => name !== used && !setting.bare.includes(name))
      .filter((name) => env[name] && env[name] !== env[used])
      .map((name) => `${name} has no effect: ${used} has another value`)
  })
}

/**
 * Reports names of settings that lack their prefix. A name that is given with the prefix as well
 * may be another program's.
 */
function remarkOnBare(env: Environment): string[] {
  const bare = settings
    .filter((setting) => !namesOf(setting).some((name) => env[name]))
    .flatMap(({ env: name, aliases }) => [name, ...aliases])
    .filter((name) => isUnreadBareName(env, name))
  if (bare.length === 0) return []
  const whole = bare.map((name) => `${name} (as ${nameOfBare(name)})`).join(', ')
  return [`Not read, since names of settings begin with ${prefix}: ${whole}`]
}

/**
 * Returns the name to give a bare one. The former server read names without a prefix, too, and some
 * of its names have another meaning here.
 */
function nameOfBare(name: string): string {
  const present = settings.find(({ gotrue }) => gotrue.includes(name))?.env
  return prefix + (present ?? name)
}

/** Reports a variable by which Node verifies no certificate. */
const remarkOnTls = ({ NODE_TLS_REJECT_UNAUTHORIZED: verifies }: Environment): string[] =>
  verifies === '0'
    ? [
        'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates of providers, hooks, mail server and database are not verified. Remove it, and name the issuer of your certificates in NODE_EXTRA_CA_CERTS',
      ]
    : []

/** The variables that the exporters of OpenTelemetry read themselves. */
const exporterVariables =
  /^OTEL_EXPORTER_OTLP_(?:(?:(?:TRACES|METRICS)_)?(?:TIMEOUT|COMPRESSION|HEADERS|CERTIFICATE|CLIENT_KEY|CLIENT_CERTIFICATE|INSECURE)|METRICS_TEMPORALITY_PREFERENCE)$/

/**
 * Reports variables of the OpenTelemetry specification that neither Latchkey nor its exporters
 * read.
 */
function remarkOnOpenTelemetry(env: Environment, { telemetry }: AuthConfig): string[] {
  if (!telemetry?.tracing?.enabled && !telemetry?.metrics?.enabled) return []
  const ignored = unknownNames(env, 'OTEL_').filter(
    (name) => env[name] && !exporterVariables.test(name),
  )
  if (ignored.length === 0) return []
  return [
    `Not read, of the variables of OpenTelemetry: ${ignored.join(', ')}. See docs/telemetry.md for the supported ones`,
  ]
}

/** Reports whether a setting's name without its prefix is set, and not read. */
export const isUnreadBareName = (env: Environment, name: string | null): name is string =>
  name !== null && Boolean(env[name]) && !knownNames.has(name)

function unknownNames(env: Environment, start = prefix): string[] {
  return Object.keys(env).filter(
    (name) => name.startsWith(start) && !knownNames.has(name) && !isMisspelledProtection(env, name),
  )
}

/** Returns a remark on an unknown name, with the setting whose name is similar. */
function unknownName(name: string): string {
  const nearest = nearestSetting(intendedName(name) ?? name)
  return `is not a setting${nearest ? `; did you mean ${nearest}?` : ''}`
}

const ownNames = [...knownNames].flatMap((name) =>
  name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
)

/** Compares without the prefix, which would make any two names similar. */
function nearestSetting(name: string): string | null {
  const written = name.replace(/^(?:AUTH|GOTRUE)_/, '')
  const nearest = ownNames.includes(written)
    ? written
    : (ownNames.find((known) => known.endsWith(`_${written}`)) ?? nearestName(written, ownNames))
  return nearest && prefix + nearest
}

/** Sections that are off unless a setting enables them. */
const protections = /^(?:AUTH|GOTRUE)_(?:HOOK|SECURITY_CAPTCHA)_/

/**
 * Returns misspelled names of settings without which a hook or captchas would be off. They prevent
 * the start.
 */
export const misspelledProtections = (env: Environment): { name: string; message: string }[] =>
  Object.keys(env)
    .filter((name) => isMisspelledProtection(env, name))
    .map((name) => ({ name, message: unknownName(name) }))

const isMisspelledProtection = (env: Environment, name: string): boolean =>
  !knownNames.has(name) &&
  protections.test(intendedName(name) ?? name) &&
  !/^(?:|0|f|false)$/i.test(env[name] ?? '')

/** Names that differ from those of settings by letter case, white space or punctuation. */
function remarkOnSpelling(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    const intended = name.startsWith(prefix) ? null : intendedName(name)
    if (intended === null || !knownNames.has(intended)) return []
    if (knownNames.has(name) || isMisspelledProtection(env, name)) return []
    return [`${JSON.stringify(name)} is not read; did you mean ${intended}?`]
  })
}

/** Returns the name in the spelling of settings; null for one without their prefix. */
function intendedName(name: string): string | null {
  const [, written] = /(?:^|[^a-z\d_])((?:auth|gotrue)[^a-z\d].*)$/is.exec(name) ?? []
  return (
    written
      ?.toUpperCase()
      .replace(/[^A-Z\d]+/g, '_')
      .replace(/_$/, '') ?? null
  )
}

/** The URL of the old database, which only `latchkey import gotrue` reads. It is no other setting. */
const importUrl = `${formerPrefix}DB_DATABASE_URL`

/** The keys of encrypted columns of the old database. */
const importKeys = `${formerPrefix}SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS`

/** The number of former names in the remark; `latchkey doctor` lists all. */
const shownFormer = 3

/**
 * Returns one remark for all former names: an environment from the former server contains dozens.
 * Names without a counterpart have a remark of their own.
 */
function remarkOnFormer(env: Environment, former: readonly GivenSetting[]): string[] {
  const unread = unknownNames(env, formerPrefix).filter((name) => name !== importUrl)
  const renamable = unread.filter(hasCounterpart)
  const others = unread.filter((name) => !hasCounterpart(name))
  const parts = [
    ...(former.length > 0 ? [`read from names of the former server: ${listFormer(former)}`] : []),
    ...(renamable.length > 0 ? [`not read: ${renamable.join(', ')}`] : []),
  ]
  return [
    ...(parts.length > 0
      ? [`Settings were ${parts.join('; ')}. Give them names that begin with ${prefix}`]
      : []),
    ...(others.length > 0
      ? [`Not read, since no setting corresponds to them: ${others.join(', ')}. Remove them`]
      : []),
  ]
}

/** Whether the former name differs by its prefix only from that of a setting. */
const hasCounterpart = (name: string): boolean =>
  knownNames.has(prefix + name.slice(formerPrefix.length))

/** Lists former names, first those that have another name now. */
function listFormer(former: readonly GivenSetting[]): string {
  const renamedFirst = former.toSorted((a, b) => Number(isRenamed(b)) - Number(isRenamed(a)))
  const names = renamedFirst.map(withPresentName)
  const others = names.length - shownFormer
  if (others <= 1) return names.join(', ')
  return `${names.slice(0, shownFormer).join(', ')} and ${others} others (latchkey doctor lists them)`
}

/** Whether a setting was given under its name of the former server. */
export const isFormer = ({ name, status }: GivenSetting): boolean =>
  status !== 'unsupported' && name.startsWith(formerPrefix)

const isRenamed = ({ name, usualName }: GivenSetting): boolean =>
  name.slice(formerPrefix.length) !== usualName.slice(prefix.length)

/** Names the present setting if it differs, since some former names had another meaning. */
export const withPresentName = (setting: GivenSetting): string =>
  isRenamed(setting) ? `${setting.name} (now ${setting.usualName})` : setting.name
