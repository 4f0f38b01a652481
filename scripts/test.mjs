// `npm test`: installs and builds where that is due, then runs every test, or those it is told to.
import { runInForeground } from './foreground.mjs'
import { prepare } from './prepare.mjs'

const node = prepare()
runInForeground(node, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)])
