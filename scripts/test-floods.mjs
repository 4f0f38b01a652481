// `npm run test:floods`: attacks that try to exhaust memory, time or connections, on processes with
// a small heap. They take minutes, so `npm test` does not run them.
import { npm } from './npm.mjs'

const words = process.argv.slice(2)
const { status } = npm(['run', 'test', '--', '--config', 'vitest.floods.config.ts', ...words])
process.exitCode = status ?? 1
