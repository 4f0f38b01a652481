import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

/** What `npm start` and `npm test` do first, so that each works on a fresh clone. Ends the process when it cannot. */
export function prepare() {
  try {
    ensureInstalled()
    ensureBuilt()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
