// `npm run test:fuzz`: odd input to every endpoint in full number, of which `npm test` tests a
// sample.
import { npm } from './npm.mjs'

process.env.FUZZ_CASES ??= '520'
process.exitCode =
  npm([
    'run',
    'test',
    '--',
    'test/fuzz.test.ts',
    'test/subscribe-pages-fuzz.test.ts',
    ...process.argv.slice(2),
  ]).status ?? 1
