// `npm start`: installs and builds where that is due, then runs `latchkey dev`.
import { runInForeground } from './foreground.mjs'
import { pinnedNode } from './pinned-node.mjs'
import { prepare } from './prepare.mjs'

prepare()
runInForeground(pinnedNode(), ['dist/standalone/cli.js', 'dev', ...process.argv.slice(2)])
