import { constants, existsSync, lstatSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { UsageError } from './command-error.ts'

/** The frameworks that `latchkey init --template` knows: folders of `examples/templates/`. */
export const templates = ['next', 'nuxt', 'sveltekit', 'express', 'hono'] as const

const manifestFile = 'package.json'
const templatesFolder = 'examples/templates'

interface Manifest {
  version?: string
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/**
 * Writes the application of a template into the working folder, all files or none. A package.json
 * of `npm init` or `npm install` is completed.
 *
 * @returns the number of files.
 * @throws UsageError for an unknown template, or if a file or script would be overwritten.
 */
export async function writeTemplate(name: string): Promise<number> {
  if (!templates.some((one) => one === name)) {
    throw new UsageError(`init: --template is one of ${templates.join(', ')}`)
  }
  const installed = packageFolder()
  const source = join(installed, templatesFolder, name)
  const { version } = readManifest(join(installed, manifestFile))
  const files = await filesOf(source)
  const copied = files.filter((file) => file !== manifestFile)
  // A dangling link counts as an existing file.
  const present = copied.map(targetOf).filter((file) => lstatSync(file, { throwIfNoEntry: false }))
  const isLink = lstatSync(manifestFile, { throwIfNoEntry: false })?.isSymbolicLink()
  if (isLink) present.push(manifestFile)
  if (present.length > 0) {
    throw new UsageError(`init: ${present.join(' and ')} would be overwritten: use another folder`)
  }
  const manifest = merge(readManifest(join(source, manifestFile)), `^${version}`)
  for (const file of copied) {
    const target = targetOf(file)
    await mkdir(dirname(target), { recursive: true })
    await copyFile(join(source, file), target, constants.COPYFILE_EXCL)
  }
  await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
  return files.length
}

/** Returns the folder of the package, which contains this module at a depth that the build decides. */
function packageFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, templatesFolder))) {
    if (folder === dirname(folder)) throw new Error(`the package has no ${templatesFolder}`)
    folder = dirname(folder)
  }
  return folder
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

/** A package contains no file with the name `.gitignore`. */
const targetOf = (file: string): string => (file === 'gitignore' ? '.gitignore' : file)

/**
 * Adds the template's manifest to that of the folder, whose packages keep their versions.
 *
 * @param latchkey the version range of Latchkey, for a folder without it.
 */
function merge(template: Manifest, latchkey: string): Manifest {
  const own = existsSync(manifestFile) ? readManifest(manifestFile) : {}
  const scripts = Object.entries(own.scripts ?? {}).filter(([, text]) => !isPlaceholder(text))
  const taken = scripts.map(([name]) => name).filter((name) => name in (template.scripts ?? {}))
  if (taken.length > 0) {
    const names = taken.map((name) => `"${name}"`).join(' and ')
    throw new UsageError(
      `init: ${manifestFile} has the script ${names} already: use another folder`,
    )
  }
  return {
    ...own,
    ...template,
    scripts: { ...Object.fromEntries(scripts), ...template.scripts },
    dependencies: { ...template.dependencies, latchkey, ...own.dependencies },
    devDependencies: { ...template.devDependencies, ...own.devDependencies },
  }
}

/** The test script that `npm init` writes. */
const isPlaceholder = (script: string): boolean => script.startsWith('echo "Error: no test ')

function readManifest(file: string): Manifest {
  const manifest = parse(readFileSync(file, 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return manifest
  throw new UsageError(`init: ${file} contains no JSON object`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
