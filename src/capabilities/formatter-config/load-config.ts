import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { SqlFormatterConfig } from './formatter-config.ts'
import { SqlFormatterConfigError } from './formatter-errors.ts'
import { configProblems } from './validate-config.ts'

const fileName = '.sql-formatter.json'

/** A configuration and the path of its file. */
export interface LoadedSqlFormatterConfig {
  path: string
  config: SqlFormatterConfig
}

/**
 * Reads the nearest `.sql-formatter.json` of a folder and its parents. Files are not merged.
 *
 * @param from the first folder. If it is relative, so is the returned path.
 * @returns null if there is none up to the root.
 * @throws SqlFormatterConfigError when the file is unreadable or invalid; `problems` contains all
 *   defects.
 */
export async function loadSqlFormatterConfig(
  from: string,
): Promise<LoadedSqlFormatterConfig | null> {
  const path = join(from, fileName)
  const text = await readIfThere(path)
  if (text !== null) return { path, config: await parseConfig(text, path) }
  const above = join(from, '..')
  return resolve(above) === resolve(from) ? null : loadSqlFormatterConfig(above)
}

/** @throws SqlFormatterConfigError when the file is missing, unreadable or invalid. */
export async function readConfigFile(path: string): Promise<SqlFormatterConfig> {
  const text = await readIfThere(path)
  if (text === null) throw brokenFile(path, 'the file does not exist')
  return parseConfig(text, path)
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw brokenFile(path, `cannot be read: ${code ?? message}`)
  }
}

/**
 * @param text JSON, with or without a byte-order mark.
 * @param file the name in error messages.
 * @throws SqlFormatterConfigError
 */
export async function parseConfig(text: string, file: string): Promise<SqlFormatterConfig> {
  const value = parseJson(text.replace(/^\uFEFF/, ''), file)
  const problems = await configProblems(value)
  if (problems.length > 0) throw new SqlFormatterConfigError(problems, file)
  return value as SqlFormatterConfig
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw brokenFile(file, `is not valid JSON${placeIn(text, String(error))}`)
  }
}

/**
 * Returns the place of a syntax error. The parser reports its offset for most errors, and the
 * unexpected token for others.
 */
function placeIn(text: string, message: string): string {
  const [, position, token] = /at position (\d+)|Unexpected token '(.)'/u.exec(message) ?? []
  if (token !== undefined) return ` (unexpected ${JSON.stringify(token)})`
  if (position === undefined) return ''
  const before = text.slice(0, Number(position)).split('\n')
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
}

const brokenFile = (file: string, message: string): SqlFormatterConfigError =>
  new SqlFormatterConfigError([{ path: '', kind: 'schema', message }], file)
