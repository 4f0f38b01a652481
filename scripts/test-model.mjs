// `npm run test:model`: the model-based tests at their full length, which `npm test` only samples.
import { npm } from './npm.mjs'

process.env.MODEL_STEPS ??= '10000'
process.env.MATRIX_REQUESTS ??= '3'
process.exitCode = npm(['run', 'test', '--', 'test/model']).status ?? 1
