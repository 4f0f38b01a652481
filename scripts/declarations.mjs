import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './paths.mjs'

/**
 * Returns the declarations of each subpath of the package.
 *
 * @returns {{ subpath: string, types: string }[]} `types` is relative to the folder of
 *   declarations.
 */
export function exportedDeclarations() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [{ subpath, types: target.types.replace('./dist/types/', '') }],
  )
}

/**
 * Returns the declarations that one refers to, directly or through others of ours, and the packages
 * that they refer to.
 *
 * @param {string} file
 * @returns {{ files: Set<string>, packages: Set<string> }}
 */
export function behindDeclaration(file, seen = { files: new Set(), packages: new Set() }) {
  if (seen.files.has(file)) return seen
  seen.files.add(file)
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
    if (!name.startsWith('.')) seen.packages.add(name)
    else behindDeclaration(join(dirname(file), name.replace(/\.ts$/, '.d.ts')), seen)
  }
  return seen
}
