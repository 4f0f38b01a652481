import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { root } from './paths.mjs'

/**
 * What we would publish, of what was built.
 *
 * @typedef {object} Packed
 * @property {string} path of the tarball
 * @property {number} size of the tarball, in bytes
 * @property {number} unpackedSize
 * @property {number} entryCount how many files it holds
 */

/**
 * Packs what was built.
 *
 * @param {string} folder where the tarball goes.
 * @returns {Packed}
 * @throws Error where nothing was built, or npm says no.
 */
export function pack(folder) {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('npm run build comes first')
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const { status, stdout } = npm(['pack', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) throw new Error('npm pack failed')
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(String(stdout))
  return { path: join(folder, filename), size, unpackedSize, entryCount }
}
