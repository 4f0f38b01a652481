// `npm run test:model`: the model-based tests at their full length, of which `npm test` runs a
// part. `MODEL_MINUTES=30` runs generated requests for an address for that time.
import { npm } from './npm.mjs'

process.env.MODEL_STEPS ??= '10000'
process.env.MATRIX_REQUESTS ??= '3'
process.env.MODEL_RUNS ??= '200'
process.exitCode = npm(['run', 'test', '--', 'test/model', ...process.argv.slice(2)]).status ?? 1
