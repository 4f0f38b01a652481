import { type ParseArgsConfig, parseArgs } from 'node:util'
import { inWords } from './in-words.ts'
import { UsageError } from './usage-error.ts'

export type FlagOptions = NonNullable<ParseArgsConfig['options']>

interface Parsed<Options extends FlagOptions> {
  args: string[]
  options: Options
  allowPositionals: true
}

/**
 * The flags and words of a command.
 *
 * @param command what a complaint begins with.
 * @throws UsageError for a flag that is unknown, or without its value.
 */
export function parseFlags<const Options extends FlagOptions>(
  command: string,
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<Parsed<Options>>> {
  try {
    return parseArgs<Parsed<Options>>({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${command}: ${inWords(error)}`)
  }
}
