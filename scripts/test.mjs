// `npm test`: installs and builds if needed, then runs every test, or the given ones.
import { runInForeground } from './foreground.mjs'
import { prepare } from './prepare.mjs'

const node = prepare()
runInForeground(node, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)])
