import { effectiveOptions } from '../../capabilities/formatter-config/effective-options.ts'
import type { SqlFormatterConfig } from '../../capabilities/formatter-config/formatter-config.ts'
import { parseConfig, readConfigFile } from '../../capabilities/formatter-config/load-config.ts'
import { UsageError } from '../command-error.ts'
import { parseFlags, rejectWords } from '../parse-flags.ts'
import { findConfig } from '../sql/find-config.ts'
import { type FormattingMode, formatFile, standardInput } from '../sql/format-file.ts'
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
