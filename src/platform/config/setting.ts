import type { Config } from './config.ts'
import type { Kind } from './kinds/kind.ts'
import type { LeafPath, ValueAt } from './paths.ts'

/**
 * Whether a setting has an effect.
 *
 * - `live`: in this version.
 * - `offers-later`: what it governs would offer something, and is still to come. It is warned about.
 * - `unsupported`: it belongs to the past, and is warned about.
 */
export type SettingStatus = 'live' | 'offers-later' | 'unsupported'

/** Where the resolved configuration holds the value of a setting. */
export type ConfigPath = LeafPath<Config>

/** One setting: its names, what it holds, and what it is for. */
export interface Setting<Path extends string = string, Given = unknown> {
  /** In code, as in `jwt.secret`. */
  path: string
  /** In the resolved configuration; differs where one value may be given and several are kept. */
  resolvedPath: Path
  status: Exclude<SettingStatus, 'unsupported'>
  /** In the environment, without prefix. Null: only code can say it. */
  env: string | null
  /** Other spellings, under either prefix. */
  aliases: readonly string[]
  /** Spellings that are read without a prefix. */
  bare: readonly string[]
  /** Spellings under `GOTRUE_`. */
  gotrue: readonly string[]
  kind: Kind<unknown, Given>
  default: unknown
  /** What the documentation says instead of `default`. */
  defaultText: string | null
  /** Its value is never shown. */
  secret: boolean
  /** A switch that is on as soon as anything beside it is given in code. */
  onWhenNamed: boolean
  /** Only our own server acts on it: in an application, the host itself does what it says. */
  serverOnly: boolean
  /** The path of the setting that takes its place; null for one that stays. It acts, and a warning names both. */
  deprecatedFor: string | null
  /** Names with a placeholder, where the documentation has one row for many alike. */
  family: Family | null
  /** One sentence. */
  description: string
}

export interface Family {
  /** As in `EXTERNAL_<PROVIDER>_URL`; null when only code can say it. */
  env: string | null
  path: string
}

/** What differs from setting to setting; the rest has a usual value. */
export type SettingSpec<Value, Given> = {
  env: string | null
  kind: Kind<Value, Given>
  description: string
  path?: string
  aliases?: readonly string[]
  bare?: readonly string[]
  gotrue?: readonly string[]
  secret?: boolean
  onWhenNamed?: boolean
  serverOnly?: boolean
  deprecatedFor?: ConfigPath
  family?: Family
} & (
  | { default: Value; defaultText?: string }
  /** No value of its own: it is required, or `derive-defaults.ts` makes it from others. */
  | { default?: never; defaultText: string }
)

type Define = <const Path extends ConfigPath, Given>(
  path: Path,
  spec: SettingSpec<ValueAt<Config, Path>, Given>,
) => Setting<Path, Given>

/** A setting that this version acts on. */
export const live: Define = (path, spec) => define('live', path, spec)

/** A setting that is checked and warned about until there is what it governs. */
export const offersLater: Define = (path, spec) => define('offers-later', path, spec)

function define<Path extends string, Given>(
  status: Setting['status'],
  resolvedPath: Path,
  spec: SettingSpec<unknown, Given>,
): Setting<Path, Given> {
  const names = spec.env === null ? [] : [spec.env, ...(spec.aliases ?? [])]
  return {
    path: spec.path ?? resolvedPath,
    resolvedPath,
    status,
    env: spec.env,
    aliases: spec.aliases ?? [],
    bare: spec.bare ?? [],
    gotrue: spec.gotrue ?? names,
    kind: spec.kind,
    default: spec.default ?? null,
    defaultText: spec.defaultText ?? null,
    secret: spec.secret ?? false,
    onWhenNamed: spec.onWhenNamed ?? false,
    serverOnly: spec.serverOnly ?? false,
    deprecatedFor: spec.deprecatedFor ?? null,
    family: spec.family ?? null,
    description: spec.description,
  }
}

/** A setting of the past that has no effect and will get none. Only the environment can name it. */
export interface UnsupportedSetting {
  env: string
  /** Its name with a placeholder, where the documentation has one row for many alike. */
  family?: string
  /** One sentence: what it was for, and what to do instead. */
  description: string
}
