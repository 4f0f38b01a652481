import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { knownNames, namesBeside } from '../../platform/config/environment-names.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { UsageError } from '../command-error.ts'
import type { CodeConfig } from './code-config.ts'
import type { Environment } from './environment-remarks.ts'

export interface SettingsSources {
  /** The environment of the process, which has precedence over every file. */
  own: Environment
  /** The folder of `--config-dir`, whose files have precedence over `.env`; null without one. */
  folder: string | null
  /** Settings in code, which a command uses in place of all others; null without them. */
  code?: CodeConfig | null
}

/**
 * The most files in a folder of settings: a larger folder was named by mistake, and is rejected.
 */
const maxFiles = 1000

/**
 * Removes `--config-dir DIR` from the words after a command.
 *
 * @throws UsageError if the folder is not named.
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
 * Reads the present settings.
 *
 * @throws ConfigError if the folder or one of its files cannot be read, with its name. The message
 *   contains no value.
 */
export const readSources = (sources: SettingsSources): Environment =>
  merge(sources, readFiles(sources))

/**
 * Returns a function that reads the settings again on each call. A file that had settings and is
 * empty now is rejected: it is being written, or was truncated because the disk is full.
 *
 * @throws ConfigError as {@link readSources}.
 */
export function openSources(sources: SettingsSources): () => Environment {
  let filled: ReadonlySet<string> = new Set()
  return () => {
    const files = readFiles(sources)
    const emptied = files.find(({ name, text }) => text.trim() === '' && filled.has(name))
    if (emptied) {
      throw problemIn(emptied.name, 'is empty, and had settings before: remove it to drop them')
    }
    filled = new Set(
      files.flatMap(({ name, settings }) => (Object.keys(settings).length > 0 ? [name] : [])),
    )
    return merge(sources, files)
  }
}

interface SettingsFile {
  name: string
  text: string
  settings: Environment
}

/**
 * Merges the sources; later ones have precedence. A setting with several names has the value of the
 * last source that contains one of them.
 */
function merge({ own }: SettingsSources, files: readonly SettingsFile[]): Environment {
  const merged: Record<string, string | undefined> = {}
  for (const source of [...files.map(({ settings }) => settings), own]) {
    for (const [name, value] of Object.entries(source)) {
      if (value) for (const other of namesBeside.get(name) ?? []) delete merged[other]
    }
    Object.assign(merged, source)
  }
  return merged
}

/** Reads the files; later ones have precedence. */
function readFiles({ folder }: SettingsSources): SettingsFile[] {
  const plain = existsSync('.env') ? [readFile('.env', '.env')] : []
  const inFolder =
    folder === null ? [] : filesIn(folder).map((name) => readFile(join(folder, name), name))
  return [...plain, ...inFolder]
}

/** Returns a text that changes when a file of settings is written, removed or replaced. */
export function stateOfSources({ folder }: SettingsSources): string {
  const paths = folder === null ? [] : listFiles(folder).map((name) => join(folder, name))
  return JSON.stringify(
    ['.env', ...paths].map((path) => {
      const { size, mtimeMs, ino } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return [path, size, mtimeMs, ino]
    }),
  )
}

/** Lists the files by name; later ones have precedence. `x.env` is skipped if `x.json` exists. */
function filesIn(folder: string): string[] {
  const names = listFiles(folder)
  const known = new Set(names)
  return names.filter((name) => !known.has(name.replace(/\.env$/, '.json')) || /json$/.test(name))
}

function listFiles(folder: string): string[] {
  const names = namesIn(folder)
    .filter((name) => /\.(env|json)$/.test(name))
    .sort()
  if (names.length > maxFiles) {
    throw problemIn('--config-dir', `names a folder with more than ${maxFiles} files of settings`)
  }
  return names.filter((name) => isReadableFile(join(folder, name), name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    throw problemIn('--config-dir', 'names a folder that cannot be read')
  }
}

/** Rejects a symbolic link to a missing file: its settings are missing. */
function isReadableFile(path: string, name: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    throw problemIn(name, 'cannot be read')
  }
}

function readFile(path: string, name: string): SettingsFile {
  const text = readText(path, name)
  const settings = name.endsWith('.json') ? readJson(text, name) : readAssignments(text, name)
  return { name, text, settings }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the text without a byte order mark, which would become part of the first name. */
function readText(path: string, name: string): string {
  const bytes = bytesOf(path, name)
  try {
    const text = utf8.decode(bytes)
    if (!text.includes('\0')) return text
  } catch {}
  throw problemIn(name, 'must be UTF-8 text')
}

function bytesOf(path: string, name: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    throw problemIn(name, 'cannot be read')
  }
}

/**
 * Parses assignments, and rejects those that the parser reads in part: it skips invalid lines, ends
 * a value at `#` and after a closing quote, and uses the last of several assignments.
 */
function readAssignments(text: string, name: string): Environment {
  const read = parseEnv(text)
  for (const [, setting = ''] of text.matchAll(/^[ \t]*(?:export[ \t]+)?((?:AUTH|GOTRUE)_\w+)/gm)) {
    if (!Object.hasOwn(read, setting)) {
      throw problemIn(`${name}: ${setting}`, 'must be followed by = and its value')
    }
  }
  const values = new Map<string, string>()
  for (const { groups = {} } of text.matchAll(assignment)) {
    const { setting = '', quoted, rest = '' } = groups
    if (!isSetting(setting)) continue
    const message = problemOfValue(groups)
    if (message !== null) throw problemIn(`${name}: ${setting}`, message)
    const value = quoted ?? rest.replace(/#.*/, '').trim()
    if ((values.get(setting) ?? value) !== value) throw setTwice(name, setting)
    values.set(setting, value)
  }
  return read
}

/** An assignment; a quoted value may have several lines. */
const assignment =
  /^[ \t]*(?:export[ \t]+)?(?<setting>\w+)[ \t]*=(?:[ \t]*(?<quote>["'`])(?<quoted>(?:(?!\k<quote>)[\s\S])*)\k<quote>)?(?<rest>.*)$/gm

const isSetting = (name: string): boolean => /^(?:AUTH|GOTRUE)_/.test(name) || knownNames.has(name)

function problemOfValue({ quoted, rest = '' }: Record<string, string | undefined>): string | null {
  if (quoted !== undefined) {
    return /^\s*(?:#.*)?$/.test(rest) ? null : 'has text after the closing quote'
  }
  if (/^\s*["'`]/.test(rest)) return 'has no closing quote'
  return /^[^#]*(?:\s#|$)/.test(rest) ? null : 'has # in its value: put it in quotes'
}

const setTwice = (name: string, setting: string): ConfigError =>
  problemIn(`${name}: ${setting}`, 'is set twice, with different values')

/** Parses JSON. The parser's message is dropped, since it quotes the text. */
function readJson(text: string, name: string): Environment {
  const value = parseJson(text)
  if (!isRecord(value)) throw problemIn(name, 'must be JSON: an object of names and strings')
  const names = [...text.matchAll(/"(\w+)"\s*:/g)].map(([, key = '']) => key)
  const repeated = names.find((key, index) => names.indexOf(key) !== index)
  if (repeated !== undefined) throw setTwice(name, repeated)
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (!['string', 'number', 'boolean'].includes(typeof one)) {
        throw problemIn(`${name}: ${key}`, 'must be a string')
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
