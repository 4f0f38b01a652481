import { join } from 'node:path'
import { type CliOptions, type CliProcess, spawnCli } from './cli-process.ts'

export const examplesFolder = join(import.meta.dirname, '../../examples')

/** Starts one of the examples as its first line says, in a folder of the caller's choice. */
export const spawnExample = (name: string, options: Pick<CliOptions, 'env' | 'cwd'>): CliProcess =>
  spawnCli([], {
    ...options,
    wrap: ([node = '']) => [node, '--conditions=latchkey-source', join(examplesFolder, name)],
  })
