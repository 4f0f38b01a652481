import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

const binary = join(
  root,
  'node_modules/node/bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

/**
 * Returns the Node that package.json pins, so that everything runs alike on a machine with an older
 * one.
 *
 * @returns the path of its binary; the running Node if the platform has none or npm ran no install
 *   scripts, provided that it is new enough.
 */
export function pinnedNode() {
  if (existsSync(binary)) return binary
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 17)) return process.execPath
  throw new Error(
    `Latchkey needs Node 22.17 or newer, this is ${process.versions.node}. The npm package ` +
      '"node" contains one unless install scripts are disabled: ' +
      'try `npm rebuild node --ignore-scripts=false`.',
  )
}

/** Returns whether the pinned Node is installed. Before the first installation it is not. */
export const hasPinnedNode = () => existsSync(binary)
