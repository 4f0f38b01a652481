import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Returns the environment of a process in which a package cannot be found.
 *
 * @param folder a folder for the module that causes it.
 */
export async function withoutPackage(
  name: string,
  folder: string,
): Promise<Record<string, string>> {
  const module = join(folder, `without-${name}.mjs`)
  await writeFile(
    module,
    `import { registerHooks } from 'node:module'
    registerHooks({
      resolve: (specifier, context, next) =>
        next(specifier === '${name}' ? 'a-package-that-is-not-there' : specifier, context),
    })`,
  )
  return { NODE_OPTIONS: `--import=${pathToFileURL(module).href}` }
}
