import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { pinnedNode } from './pinned-node.mjs'

/**
 * Installs and builds before `npm start` and `npm test`, so that each works on a fresh clone. Ends
 * the process with a message if that fails.
 *
 * @returns the Node to use.
 */
export function prepare() {
  try {
    ensureInstalled()
    ensureBuilt()
    return pinnedNode()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
