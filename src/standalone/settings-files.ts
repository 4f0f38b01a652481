import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError } from '../errors/config-error.ts'
import { isRecord } from '../kit/is-record.ts'
import type { Environment } from './environment-remarks.ts'
import { UsageError } from './usage-error.ts'

/** Where settings come from. */
export interface SettingsSources {
  /** The environment of the process, as it was started: it beats every file. */
  own: Environment
  /** The folder of `--config-dir`, whose files beat `.env`; null without one. */
  folder: string | null
}

/** More files than a folder of settings has: one that was named by mistake is not read whole. */
const maxFiles = 1000

/**
 * Takes `--config-dir DIR` out of the words after a command.
 *
 * @throws UsageError where the folder is not named.
 */
export function takeConfigDir(args: readonly string[]): { folder: string | null; rest: string[] } {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const at = own.findIndex((arg) => /^(-d|--config-dir(=.*)?)$/s.test(arg))
  if (at === -1) return { folder: null, rest: [...args] }
  const [, joined] = /^--config-dir=(.*)$/s.exec(args[at] ?? '') ?? []
  const folder = joined ?? own[at + 1]
  if (!folder) throw new UsageError('--config-dir: which folder?')
  return { folder, rest: args.toSpliced(at, joined === undefined ? 2 : 1) }
}

/**
 * The settings as they stand at this moment.
 *
 * @throws ConfigError where the folder or a file of it cannot be read, by its name. No value is in it.
 */
export function readSources({ own, folder }: SettingsSources): Environment {
  const plain = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  const inFolder = folder === null ? [] : filesIn(folder).map((name) => readFile(folder, name))
  return Object.assign({}, plain, ...inFolder, own)
}

/** What differs when a file of settings was written, removed or replaced. */
export function stateOfSources({ folder }: SettingsSources): string {
  const paths = folder === null ? [] : listFiles(folder).map((name) => join(folder, name))
  return JSON.stringify(
    ['.env', ...paths].map((path) => {
      const { size, mtimeMs, ino } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return [path, size, mtimeMs, ino]
    }),
  )
}

/** By name: later ones beat earlier ones. Beside `x.json`, `x.env` is left out. */
function filesIn(folder: string): string[] {
  const names = listFiles(folder)
  const known = new Set(names)
  return names.filter((name) => !known.has(name.replace(/\.env$/, '.json')) || /json$/.test(name))
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.(env|json)$/.test(name))
      .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
      .sort()
      .slice(0, maxFiles)
  } catch {
    throw problemIn('--config-dir', 'names a folder that cannot be read')
  }
}

function readFile(folder: string, name: string): Environment {
  const text = readText(join(folder, name), name)
  return name.endsWith('.json') ? readJson(text, name) : parseEnv(text)
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw problemIn(name, 'cannot be read')
  }
}

/** The parser would quote what it stumbles over. */
function readJson(text: string, name: string): Environment {
  const value = parseJson(text)
  if (!isRecord(value)) throw problemIn(name, 'must be JSON: an object of names and texts')
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (!['string', 'number', 'boolean'].includes(typeof one)) {
        throw problemIn(`${name}: ${key}`, 'must be a text')
      }
      return [key, String(one)]
    }),
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const problemIn = (path: string, message: string) => new ConfigError([{ path, message }])
