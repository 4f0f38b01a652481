import { constants } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { formatSql } from '../../capabilities/formatter-config/format-sql.ts'
import type { SqlFormatterConfig } from '../../capabilities/formatter-config/formatter-config.ts'
import { SqlFormatterMissingError } from '../../capabilities/formatter-config/formatter-errors.ts'
import { describeError } from '../../platform/observability/describe-error.ts'

/** The use of formatted text: print it, write it into its file, or compare it. */
export type FormattingMode = 'print' | 'write' | 'check'

/** The name for standard input in place of a file. */
export const standardInput = '-'

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
    const lines = describeError(error).split('\n')
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

const nameOf = (file: string): string => (file === standardInput ? '<standard input>' : file)
