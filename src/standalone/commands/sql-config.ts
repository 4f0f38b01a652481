import { effectiveOptions } from '../../capabilities/formatter-config/effective-options.ts'
import { readConfigFile } from '../../capabilities/formatter-config/load-config.ts'
import { parseFlags, rejectWords } from '../parse-flags.ts'
import { findConfig } from '../sql/find-config.ts'

/**
 * `latchkey sql config [FILE]`: reports errors in a formatter configuration, or prints the
 * resulting options.
 */
export async function sqlConfig(args: string[]): Promise<void> {
  const [file, ...rest] = parseFlags('sql config', args, {}).positionals
  rejectWords('sql config', rest)
  const { config, path } =
    file === undefined ? await findConfig() : { config: await readConfigFile(file), path: file }
  process.stderr.write(
    path === null ? 'There is no .sql-formatter.json: these are the defaults.\n' : `${path}\n`,
  )
  process.stdout.write(`${JSON.stringify(effectiveOptions(config), null, 2)}\n`)
}
