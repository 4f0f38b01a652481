import { constants, existsSync, lstatSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { CommandError, UsageError } from './command-error.ts'
import { findCommonJsModule } from './commonjs-modules.ts'

/** The frameworks that `latchkey init --template` knows: folders of `examples/templates/`. */
export const templates = ['next', 'nuxt', 'sveltekit', 'express', 'hono'] as const

const manifestFile = 'package.json'
const templatesFolder = 'examples/templates'

interface Manifest {
  version?: string
  type?: unknown
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  overrides?: object
}

/** The result of `writeTemplate`. */
export interface WrittenTemplate {
  fileCount: number
  /** Whether `"type": "commonjs"`, which `npm init` writes, was replaced. */
  isTypeReplaced: boolean
  /** The packages of the folder with another major version than the template is tested with. */
  otherMajors: OtherMajor[]
}

/** A package whose version in package.json has another major version than that of the template. */
export interface OtherMajor {
  name: string
  /** The version range in package.json. */
  present: string
  /** The version that the template is tested with. */
  tested: string
}

/**
 * Writes the application of a template into the working folder, all files or none. A package.json
 * of `npm init` or `npm install` is completed.
 *
 * @returns the number of files, and the parts of package.json that the caller reports.
 * @throws UsageError for an unknown template.
 * @throws CommandError if a file or script would be overwritten, or if the folder contains CommonJS
 *   modules: the applications are ES modules.
 */
export async function writeTemplate(name: string): Promise<WrittenTemplate> {
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
    throw new CommandError(`init: ${present.join(', ')} would be overwritten: use another folder`)
  }
  const own = existsSync(manifestFile) ? readManifest(manifestFile) : {}
  if (own.type !== 'module') await rejectCommonJsModules(own.type)
  const template = readManifest(join(source, manifestFile))
  const manifest = merge(own, template, `^${version}`)
  for (const file of copied) {
    const target = targetOf(file)
    await mkdir(dirname(target), { recursive: true })
    await copyFile(join(source, file), target, constants.COPYFILE_EXCL)
  }
  await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
  return {
    fileCount: files.length,
    isTypeReplaced: own.type === 'commonjs',
    otherMajors: findOtherMajors(own, template),
  }
}

/**
 * Returns the folder of the package, which contains this module at a depth that the build decides.
 */
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
 * Rejects a folder whose modules `"type": "module"` would break: all modules where the package is
 * declared as CommonJS, else those with the functions of CommonJS.
 */
async function rejectCommonJsModules(type: unknown): Promise<void> {
  const module = await findCommonJsModule(type === 'commonjs')
  if (module === null) return
  const reason =
    type === 'commonjs' ? `${manifestFile} has "type": "commonjs"` : `${manifestFile} has no "type"`
  throw new CommandError(
    `init: ${module} is a CommonJS module (${reason}), and the templates need "type": "module", which would break it: ` +
      'use another folder, or convert it and run npm pkg set type=module. To add Latchkey to an existing application, see docs/hosts.md',
  )
}

/**
 * Adds the template's manifest to that of the folder, whose packages keep their versions.
 *
 * @param latchkey the version range of Latchkey, for a folder without it.
 */
function merge(own: Manifest, template: Manifest, latchkey: string): Manifest {
  const scripts = Object.entries(own.scripts ?? {}).filter(([, text]) => !isPlaceholder(text))
  const taken = scripts.map(([name]) => name).filter((name) => name in (template.scripts ?? {}))
  if (taken.length > 0) {
    const names = taken.map((name) => `"${name}"`).join(' and ')
    throw new CommandError(
      `init: ${manifestFile} has the script ${names} already: use another folder`,
    )
  }
  const present = packagesOf(own)
  const missing = (packages: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(packages).filter(([name]) => !(name in present)))
  return {
    ...own,
    ...template,
    ...(template.overrides && { overrides: { ...template.overrides, ...own.overrides } }),
    scripts: { ...Object.fromEntries(scripts), ...template.scripts },
    dependencies: { ...missing({ ...template.dependencies, latchkey }), ...own.dependencies },
    devDependencies: { ...missing(template.devDependencies), ...own.devDependencies },
  }
}

/** Returns the versions of all packages of a manifest, by name. */
const packagesOf = (manifest: Manifest): Record<string, string> => ({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
})

/** Ranges without a leading number, such as `latest` or `file:`, are left out. */
function findOtherMajors(own: Manifest, template: Manifest): OtherMajor[] {
  const present = packagesOf(own)
  return Object.entries(packagesOf(template)).flatMap(([name, tested]) => {
    const range = present[name]
    if (range === undefined) return []
    const [found, expected] = [majorOf(range), majorOf(tested)]
    if (found === null || expected === null || found === expected) return []
    return [{ name, present: range, tested }]
  })
}

const majorOf = (range: string): string | null => /^[\^~=v\s]*(\d+)/.exec(range)?.[1] ?? null

/** The test script that `npm init` writes. */
const isPlaceholder = (script: string): boolean => script.startsWith('echo "Error: no test ')

function readManifest(file: string): Manifest {
  const manifest = parse(readFileSync(file, 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return manifest
  throw new CommandError(`init: ${file} contains no JSON object`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
