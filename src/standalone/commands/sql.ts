import { constants } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { effectiveOptions } from '../../capabilities/formatter-config/effective-options.ts'
import { formatSql } from '../../capabilities/formatter-config/format-sql.ts'
import type { SqlFormatterConfig } from '../../capabilities/formatter-config/formatter-config.ts'
import { SqlFormatterMissingError } from '../../capabilities/formatter-config/formatter-errors.ts'
import { parseConfig, readConfigFile } from '../../capabilities/formatter-config/load-config.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import { UsageError } from '../command-error.ts'
import { findConfig } from '../print-plan.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'
import { oneLineForTerminal, textForTerminal } from '../terminal/print-result.ts'
import { unknownCommand } from '../usage.ts'

const actions: Record<string, (args: string[]) => Promise<void>> = {
  format: sqlFormat,
  config: sqlConfig,
}

/** `latchkey sql …`: formats SQL files. Needs neither the service nor its settings. */
export async function sql([name = '', ...args]: string[]): Promise<void> {
  if (name === '') throw new UsageError('sql: which action?')
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('sql', name)
  await action(args)
}

/**
 * `latchkey sql config [FILE]`: reports errors in a formatter configuration, or prints the
 * resulting options.
 */
async function sqlConfig(args: string[]): Promise<void> {
  const [file, ...rest] = parseFlags('sql config', args, {}).positionals
  rejectWords('sql config', rest)
  const { config, path } =
    file === undefined ? await findConfig() : { config: await readConfigFile(file), path: file }
  process.stderr.write(
    path === null ? 'There is no .sql-formatter.json: these are the defaults.\n' : `${path}\n`,
  )
  process.stdout.write(`${JSON.stringify(effectiveOptions(config), null, 2)}\n`)
}

/**
 * `latchkey sql format [FILE…]`: exits with 1 if a file could not be formatted or, with --check,
 * would change.
 */
async function sqlFormat(args: string[]): Promise<void> {
  const { values, positionals } = parseFlags('sql format', args, {
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    config: { type: 'string' },
  })
  const files = positionals.length === 0 ? [standardInput] : positionals
  const mode = readMode(values)
  rejectEndlessInput(files, mode)
  const config = await configFrom(values.config)
  if (mode === 'write' && config.denseOperators) process.stderr.write(hazard)
  for (const file of files) {
    if (!(await formatFile(file, config, mode))) process.exitCode = 1
  }
}

const hazard =
  'warning: denseOperators can change what SQL means: in PostgreSQL, a < @b becomes a<@b, which is another operator\n'

function readMode({ check, write }: { check: boolean; write: boolean }): FormattingMode {
  if (check && write) throw new UsageError('sql format: --check and --write exclude each other')
  if (check) return 'check'
  return write ? 'write' : 'print'
}

function rejectEndlessInput(files: readonly string[], mode: FormattingMode): void {
  if (!files.includes(standardInput)) return
  if (mode === 'write') throw new UsageError('sql format: --write requires files')
  if (process.stdin.isTTY)
    throw new UsageError('sql format: which file? Or pass SQL to standard input')
}

/** @param given JSON or the path of a file; undefined to search for the configuration. */
async function configFrom(given: string | undefined): Promise<SqlFormatterConfig> {
  if (given === undefined) return (await findConfig()).config
  return isJson(given) ? parseConfig(given, '--config') : readConfigFile(given)
}

const isJson = (given: string): boolean => /^\s*[[{"]/.test(given)

/** The use of formatted text: print it, write it into its file, or compare it. */
type FormattingMode = 'print' | 'write' | 'check'

/** The name for standard input in place of a file. */
const standardInput = '-'

/**
 * Formats one file; writes an error to standard error. Other files may be formatted after an error.
 *
 * @returns false after an error, or if the text was to be checked and would change.
 * @throws SqlFormatterMissingError if no file can be formatted.
 */
export async function formatFile(
  file: string,
  config: SqlFormatterConfig,
  mode: FormattingMode,
): Promise<boolean> {
  try {
    const text = await readText(file)
    return await deliver(file, text, await formatSql(text, config), mode)
  } catch (error) {
    if (error instanceof SqlFormatterMissingError) throw error
    const lines = textForTerminal(describeError(error)).split('\n')
    process.stderr.write(lines.map((line) => `${nameOf(file)}: ${line}\n`).join(''))
    return false
  }
}

async function deliver(file: string, text: string, formatted: string, mode: FormattingMode) {
  if (mode === 'print') process.stdout.write(formatted)
  if (mode === 'print' || text === formatted) return true
  if (mode === 'write') await replaceText(file, text, formatted)
  process.stdout.write(`${nameOf(file)}\n`)
  return mode === 'write'
}

const { O_NOFOLLOW = 0, O_TRUNC, O_WRONLY } = constants

/** Writes the formatted text, unless the file changed: formatting a long text takes seconds. */
async function replaceText(file: string, text: string, formatted: string): Promise<void> {
  if ((await readText(file)) !== text) throw new Error('was changed while it was formatted')
  await writeFile(file, formatted, { flag: O_WRONLY | O_TRUNC | O_NOFOLLOW }).catch(
    (error: NodeJS.ErrnoException) => {
      throw error.code === 'ELOOP' ? new Error('is a symbolic link, which is not written') : error
    },
  )
}

/**
 * Reads a UTF-8 file. Writing back another encoding would lose letters. A byte order mark remains
 * part of the text.
 */
async function readText(file: string): Promise<string> {
  const bytes = file === standardInput ? await buffer(process.stdin) : await readBytes(file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('is not UTF-8')
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Error('the file does not exist')
    if (code === 'EISDIR') throw new Error('is a folder; only files are formatted')
    throw error
  }
}

/** A repository may contain files whose names control the terminal. */
const nameOf = (file: string): string =>
  file === standardInput ? '<standard input>' : oneLineForTerminal(file)
