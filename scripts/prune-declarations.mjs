// The last step of `npm run build`: of the declarations in dist/types it leaves those that an application reads. The
// others describe what nobody can import, and would be most of the files that are published.
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

/** With the folders that it leaves empty. @param {string} file */
function remove(file) {
  rmSync(file)
  for (let parent = dirname(file); readdirSync(parent).length === 0; parent = dirname(parent)) {
    rmdirSync(parent)
  }
}
