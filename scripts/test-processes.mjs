// `npm run test:processes`: tests that start processes and browsers, which `npm test` does not run.
import { npm } from './npm.mjs'

const words = process.argv.slice(2)
const { status } = npm(['run', 'test', '--', '--config', 'vitest.processes.config.ts', ...words])
process.exitCode = status ?? 1
