import { join } from 'node:path'
import { type CliOptions, type CliProcess, spawnCli } from './cli-process.ts'

export const examplesFolder = join(import.meta.dirname, '../../examples')

/** Starts an example with the command in its first line, in a given folder. */
export const spawnExample = (name: string, options: Pick<CliOptions, 'env' | 'cwd'>): CliProcess =>
  spawnCli([], {
    ...options,
    wrap: ([node = '']) => [node, '--conditions=latchkey-source', join(examplesFolder, name)],
  })
