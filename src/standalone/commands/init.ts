import { constants, lstatSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseFlags, refuseWords } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'

/** The program, and what it shows: files of `examples/starter/`. */
const program = 'server.mjs'
const starterFiles = [program, 'page.html']

/**
 * `latchkey init`: writes a small application into the working folder, and starts it. No file that is there already
 * is changed.
 */
export async function init(args: string[]): Promise<void> {
  const { values, positionals } = parseFlags('init', args, { 'no-start': { type: 'boolean' } })
  refuseWords('init', positionals)
  const path = join(process.cwd(), program)
  await copyStarter(requireInstalled(path))
  process.stdout.write(
    `Wrote ${starterFiles.join(' and ')}: from now on \`node ${program}\` starts the application.\n`,
  )
  if (values['no-start']) return
  process.stdout.write('Starting it … Stop with Ctrl+C.\n')
  await import(pathToFileURL(path).href)
}

/**
 * The folder of Latchkey as a program of the application finds it: `npx` runs us without any installation, too.
 *
 * @throws UsageError where it would find none.
 */
function requireInstalled(from: string): string {
  try {
    return join(createRequire(from).resolve('latchkey/package.json'), '..')
  } catch {
    throw new UsageError('init: Latchkey is not installed in this folder: npm install latchkey')
  }
}

/** @throws UsageError where one of the files is there: nothing is written then. */
async function copyStarter(installed: string): Promise<void> {
  // A link that leads nowhere is there, too.
  const present = starterFiles.filter((file) => lstatSync(file, { throwIfNoEntry: false }))
  if (present.length > 0) {
    throw new UsageError(`init: ${present.join(' and ')} would be overwritten: use another folder`)
  }
  for (const file of starterFiles) {
    const source = join(installed, 'examples/starter', file)
    await copyFile(source, file, constants.COPYFILE_EXCL)
  }
}
