import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'
import { pinnedNode } from './pinned-node.mjs'

const sources = ['src', 'migrations', 'package.json', 'scripts/merge-chunks.mjs', 'tsup.config.ts']

/**
 * Builds `dist/` without declarations if a source is newer. `npm run build` adds the declarations.
 *
 * @throws Error when the build fails. tsup has printed the reason.
 */
export function ensureBuilt() {
  if (isBuilt()) return
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
  const { status } = spawnSync(pinnedNode(), [tsup, '--silent'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The build failed: see above.')
}

/** Returns whether `dist/` is newer than each source and each folder. Deletions change a folder. */
export function isBuilt(folder = root) {
  const built = join(folder, 'dist/standalone/cli.js')
  if (!existsSync(built)) return false
  const { mtimeMs } = statSync(built)
  return sources.every((source) => newestIn(join(folder, source)) < mtimeMs)
}

/**
 * Returns the time of the last change of a file, or of anything in a folder; 0 for a missing one.
 *
 * @param {string} path
 * @returns {number}
 */
function newestIn(path) {
  if (!existsSync(path)) return 0
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))))
}
