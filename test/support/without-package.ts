import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The environment of a process that finds a package as little as where it was never installed.
 *
 * @param folder where a module may be written that sees to that.
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
