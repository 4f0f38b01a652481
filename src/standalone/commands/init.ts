import { constants, lstatSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from '../command-error.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'
import { writeTemplate } from '../write-template.ts'

/** The program, a file of `examples/starter/`. */
const program = 'server.mjs'
const starterFiles = [program]

/**
 * `latchkey init`: writes a small application into the working folder and starts it, or writes that
 * of a framework. Existing files are not changed, except package.json for a framework.
 */
export async function init(args: string[]): Promise<void> {
  const { values, positionals } = parseFlags('init', args, {
    'no-start': { type: 'boolean' },
    template: { type: 'string' },
  })
  rejectWords('init', positionals)
  if (values.template !== undefined) return initTemplate(values.template)
  const path = join(process.cwd(), program)
  await copyStarter(requireInstalled(path))
  process.stdout.write(
    `Wrote ${starterFiles.join(' and ')}: from now on \`node ${program}\` starts the application.\n`,
  )
  if (values['no-start']) return
  process.stdout.write('Starting it … Stop with Ctrl+C.\n')
  await import(pathToFileURL(path).href)
}

async function initTemplate(name: string): Promise<void> {
  const { fileCount, isTypeReplaced, otherMajors } = await writeTemplate(name)
  if (isTypeReplaced) {
    process.stdout.write('package.json: "type" is "module" now, it was "commonjs".\n')
  }
  for (const { name: dependency, present, tested } of otherMajors) {
    process.stderr.write(
      `Warning: package.json has ${dependency} ${present}. The template is tested with ${tested}. ` +
        `If \`npm test\` fails, run npm install ${dependency}@${tested}.\n`,
    )
  }
  process.stdout.write(
    `Wrote ${fileCount} files; README.md describes them. Next:\n\n  npm install\n  npm run dev\n\n` +
      '`npm test` checks the types, builds the application and runs its tests.\n',
  )
}

/**
 * Returns the installed package's folder as the application will find it. `npx` runs this command
 * without an installation, too.
 *
 * @throws CommandError if the package is not installed.
 */
function requireInstalled(from: string): string {
  try {
    return join(createRequire(from).resolve('latchkey/package.json'), '..')
  } catch {
    throw new CommandError('init: Latchkey is not installed in this folder: npm install latchkey')
  }
}

/** Copies the starter's files, all or none. @throws CommandError if one of the files exists. */
async function copyStarter(installed: string): Promise<void> {
  // A dangling link counts as an existing file.
  const present = starterFiles.filter((file) => lstatSync(file, { throwIfNoEntry: false }))
  if (present.length > 0) {
    throw new CommandError(`init: ${present.join(', ')} would be overwritten: use another folder`)
  }
  for (const file of starterFiles) {
    const source = join(installed, 'examples/starter', file)
    await copyFile(source, file, constants.COPYFILE_EXCL)
  }
}
