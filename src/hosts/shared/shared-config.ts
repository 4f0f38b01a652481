import type { AuthConfig } from '../../platform/config/config.ts'

/** The data of a configuration, as text, by path. Functions and instances count by their kind. */
export type ConfigData = ReadonlyMap<string, string>

/** Returns the data of a configuration, to find the changed settings. */
export function dataOf(settings: object): ConfigData {
  const data = new Map<string, string>()
  visit(settings, [], (path, value) => void data.set(path.join('.'), describe(value)))
  return data
}

/** Returns the paths of the settings that differ. */
export function changedPaths(former: ConfigData, next: ConfigData): string[] {
  const paths = new Set([...former.keys(), ...next.keys()])
  return [...paths].filter((path) => former.get(path) !== next.get(path)).toSorted()
}

/**
 * Returns a copy of a configuration whose functions call the latest ones, so that a changed hook
 * takes effect without another service.
 *
 * @param latest returns a configuration with the same data.
 */
export const withLatestFunctions = (config: AuthConfig, latest: () => AuthConfig): AuthConfig =>
  copy(config, [], (path) => valueAt(latest(), path)) as AuthConfig

type Path = readonly string[]

function copy(value: unknown, path: Path, find: (path: Path) => unknown): unknown {
  if (typeof value === 'function') {
    return function (this: unknown, ...args: unknown[]): unknown {
      const found = find(path)
      return Reflect.apply(typeof found === 'function' ? found : value, this, args)
    }
  }
  if (!isContainer(value)) return value
  const entries = Object.entries(value).map(([key, one]) => [key, copy(one, [...path, key], find)])
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

function visit(value: unknown, path: Path, each: (path: Path, value: unknown) => void): void {
  if (!isContainer(value)) {
    if (value !== undefined) each(path, value)
    return
  }
  for (const [key, one] of Object.entries(value)) visit(one, [...path, key], each)
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, key) => Object(found)[key], value)

const describe = (value: unknown): string => {
  if (typeof value === 'function') return 'function'
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  return `instance of ${Object(value).constructor?.name}`
}

/** Reports whether a value is a list or a plain object. Instances, such as a logger, are not copied. */
function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
