// `npm run test:durability`: kills the server at every event of a delivery, of which
// `npm run test:processes` tests a sample.
import { npm } from './npm.mjs'

process.env.OUTBOX_KILLS ??= 'all'
process.exitCode =
  npm(['run', 'test:processes', '--', 'test/outbox-durability', ...process.argv.slice(2)]).status ??
  1
