import type { Config } from './config.ts'
import type { Parser } from './parsers/parser.ts'
import type { LeafPath, ValueAt } from './paths.ts'

/**
 * The status of a setting.
 *
 * - `live`: it has an effect in this version.
 * - `offers-later`: its feature is not built yet. It causes a warning.
 * - `unsupported`: a former setting. It causes a warning.
 */
export type SettingStatus = 'live' | 'offers-later' | 'unsupported'

/** The path of a setting's value in the resolved configuration. */
export type ConfigPath = LeafPath<Config>

/** A setting: its names, its parser and its purpose. */
export interface Setting<Path extends string = string, Given = unknown> {
  /** The name in code, such as `jwt.secret`. */
  path: string
  /**
   * The path in the resolved configuration; differs if one value may be set and several are stored.
   */
  resolvedPath: Path
  status: Exclude<SettingStatus, 'unsupported'>
  /** The name in the environment, without prefix. Null: code only. */
  env: string | null
  /** Other names, with either prefix. */
  aliases: readonly string[]
  /** Names that are read without a prefix. */
  bare: readonly string[]
  /** Names with the prefix `GOTRUE_`. */
  gotrue: readonly string[]
  parser: Parser<unknown, Given>
  default: unknown
  /** The text in the documentation in place of `default`. */
  defaultText: string | null
  /** Whether the value is never shown. */
  secret: boolean
  /** Whether the switch is on if any setting beside it is set in code. */
  onWhenNamed: boolean
  /** Whether only the standalone server uses it: in an application, the host decides. */
  serverOnly: boolean
  /**
   * The path of its replacement; null for a setting that stays. It has an effect, and a warning
   * names both.
   */
  deprecatedFor: string | null
  /** Names with a placeholder, for one row of many similar settings in the documentation. */
  family: Family | null
  /** Null: larger values weaken no protection. */
  bounds: Bounds | null
  /** One sentence. */
  description: string
}

/** The bounds of a setting whose larger values weaken a protection. */
export interface Bounds {
  unit: 'seconds' | 'factors' | 'passkeys' | 'sessions' | 'bytes' | 'requests'
  /** Larger values cause a warning at start. */
  unusual: number
  /** Larger values are rejected. */
  ceiling: number
  source: string
}

export interface Family {
  /** A name such as `EXTERNAL_<PROVIDER>_URL`; null for code only. */
  env: string | null
  path: string
}

/** The members that differ between settings; others have defaults. */
export type SettingSpec<Value, Given> = {
  env: string | null
  parser: Parser<Value, Given>
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
  bounds?: Bounds
} & (
  | { default: Value; defaultText?: string }
  /** No default: it is required, or `derive-defaults.ts` derives it. */
  | { default?: never; defaultText: string }
)

type Define = <const Path extends ConfigPath, Given>(
  path: Path,
  spec: SettingSpec<ValueAt<Config, Path>, Given>,
) => Setting<Path, Given>

/** Defines a setting with an effect in this version. */
export const live: Define = (path, spec) => define('live', path, spec)

/** Defines a setting of a feature that is not built yet, which is checked and causes a warning. */
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
    parser: spec.parser,
    default: spec.default ?? null,
    defaultText: spec.defaultText ?? null,
    secret: spec.secret ?? false,
    onWhenNamed: spec.onWhenNamed ?? false,
    serverOnly: spec.serverOnly ?? false,
    deprecatedFor: spec.deprecatedFor ?? null,
    family: spec.family ?? null,
    bounds: spec.bounds ?? null,
    description: spec.description,
  }
}

/** A former setting without effect, in the environment only. */
export interface UnsupportedSetting {
  env: string
  /** Its name with a placeholder, for one row of many similar settings in the documentation. */
  family?: string
  /** One sentence with its former purpose and the replacement. */
  description: string
}
