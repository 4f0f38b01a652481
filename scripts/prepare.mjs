import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { pinnedNode } from './pinned-node.mjs'

/**
 * What `npm start` and `npm test` do first, so that each works on a fresh clone. Ends the process,
 * with one sentence, where that cannot be.
 *
 * @returns the Node to go on with.
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
