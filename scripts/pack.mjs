import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { root } from './paths.mjs'

/**
 * The package as it would be published.
 *
 * @typedef {object} Packed
 * @property {string} path of the tarball
 * @property {number} size of the tarball, in bytes
 * @property {number} unpackedSize
 * @property {number} entryCount the number of its files
 */

/**
 * Packs the build.
 *
 * @param {string} folder the folder for the tarball.
 * @returns {Packed}
 * @throws Error without a build, or when npm fails.
 */
export function pack(folder) {
  if (!existsSync(join(root, 'dist/index.js'))) throw new Error('run npm run build first')
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const { status, stdout } = npm(['pack', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) throw new Error('npm pack failed')
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(String(stdout))
  return { path: join(folder, filename), size, unpackedSize, entryCount }
}
