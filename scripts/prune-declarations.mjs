// The last step of `npm run build`: deletes the declarations in dist/types that no export refers
// to, which would be most of the published files.
import { globSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { behindDeclaration, exportedDeclarations } from './declarations.mjs'
import { root } from './paths.mjs'

const folder = join(root, 'dist/types')
const read = new Set(
  exportedDeclarations().flatMap(({ types }) => [...behindDeclaration(join(folder, types)).files]),
)
for (const name of globSync('**/*.d.ts', { cwd: folder })) {
  const file = join(folder, name)
  if (!read.has(file)) remove(file)
}

/** Deletes a file, and folders that it leaves empty. @param {string} file */
function remove(file) {
  rmSync(file)
  for (let parent = dirname(file); readdirSync(parent).length === 0; parent = dirname(parent)) {
    rmdirSync(parent)
  }
}
