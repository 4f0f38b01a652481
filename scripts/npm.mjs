import { spawn, spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './paths.mjs'
import { hasPinnedNode, pinnedNode } from './pinned-node.mjs'

/**
 * Runs npm in the checkout, with the pinned Node once that is installed.
 *
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options by default with our output
 *   streams.
 * @returns the result of `spawnSync`.
 */
export function npm(args, options = {}) {
  return spawnSync(node(), [npmCli(), ...args], { cwd: root, stdio: 'inherit', ...options })
}

/** Starts npm like {@link npm}, with its output in pipes. @param {string[]} args */
export function startNpm(args) {
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'pipe'])
  return spawn(node(), [npmCli(), ...args], { cwd: root, stdio: [...stdio] })
}

function node() {
  return hasPinnedNode() ? pinnedNode() : process.execPath
}

/**
 * Returns the path of npm: the one that runs this script, else the one on the PATH, else that of
 * this Node.
 */
function npmCli() {
  const ours = process.env.npm_execpath
  if (ours?.endsWith('npm-cli.js')) return ours

  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = [
    ...folders.flatMap((folder) => [join(folder, 'npm'), join(folder, npmInside)]),
    join(dirname(process.execPath), '../lib', npmInside),
    join(dirname(process.execPath), npmInside),
  ]
  for (const candidate of candidates.filter(existsSync)) {
    const program = realpathSync(candidate)
    if (program.endsWith('npm-cli.js')) return program
  }
  throw new Error('npm was not found: it comes with Node, and has to be on the PATH.')
}

const npmInside = 'node_modules/npm/bin/npm-cli.js'
