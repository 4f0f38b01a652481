// `npm start`: installs and builds if needed, then runs `latchkey dev`.
import { runInForeground } from './foreground.mjs'
import { prepare } from './prepare.mjs'

const node = prepare()
runInForeground(node, ['dist/standalone/cli.js', 'dev', ...process.argv.slice(2)])
