// `npm run bench`: installs and builds if needed, then measures. `-- --quick` takes two minutes.
import { runInForeground } from './foreground.mjs'
import { pinnedNode } from './pinned-node.mjs'
import { prepare } from './prepare.mjs'

prepare()
runInForeground(pinnedNode(), ['bench/index.ts', ...process.argv.slice(2)])
