import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns a CommonJS module of the working folder; null if there is none.
 *
 * @param isDeclared whether `package.json` declares all modules as such.
 */
export async function findCommonJsModule(isDeclared: boolean): Promise<string | null> {
  for (const file of await ownModules('.')) {
    if (isDeclared) return file
    const text = await readFile(file, 'utf8')
    if (commonJs.test(text) && !esModule.test(text)) return file
  }
  return null
}

/** Returns the files whose module system depends on the type of the package. */
async function ownModules(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = entries.map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isFile()) return /\.[jt]sx?$/.test(path) && !path.endsWith('.d.ts') ? [path] : []
    const isOwn = entry.name !== 'node_modules' && !entry.name.startsWith('.')
    // A folder with a manifest is another package.
    if (!entry.isDirectory() || !isOwn || existsSync(join(path, 'package.json'))) return []
    return ownModules(path)
  })
  return (await Promise.all(found)).flat()
}

const esModule = /^\s*(?:import\s*[\w{*"']|export\s)/m
const commonJs = /\brequire\s*\(|\bmodule\.exports\b|^\s*exports\.\w+\s*=/m
