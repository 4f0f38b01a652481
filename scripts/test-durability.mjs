// `npm run test:durability`: kills the server at every word on the way of a message, of which
// `npm run test:processes` only samples some.
import { npm } from './npm.mjs'

process.env.OUTBOX_KILLS ??= 'all'
process.exitCode =
  npm(['run', 'test:processes', '--', 'test/outbox-durability', ...process.argv.slice(2)]).status ??
  1
