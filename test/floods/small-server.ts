import { readFile } from 'node:fs/promises'
import { type ServerProcess, startServer } from '../support/server-process.ts'

interface SmallServer {
  heapMib: number
  /** Additional options of Node. */
  nodeOptions?: string
  env?: Record<string, string>
}

/** Starts `latchkey serve` with a heap that a flood soon exhausts. */
export const startSmallServer = (
  databaseUrl: string,
  { heapMib, nodeOptions = '', env }: SmallServer,
): Promise<ServerProcess> =>
  startServer(databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMib} ${nodeOptions}`,
    ...env,
  })

/** Returns the peak memory of a process in MiB; null except on Linux. */
export const peakMemoryMib = (process: Pick<ServerProcess, 'pid'>): Promise<number | null> =>
  statusMib(process, /^VmHWM:\s+(\d+) kB$/m)

/** Returns the present memory of a process in MiB; null except on Linux. */
export const memoryMib = (process: Pick<ServerProcess, 'pid'>): Promise<number | null> =>
  statusMib(process, /^VmRSS:\s+(\d+) kB$/m)

async function statusMib(
  { pid }: Pick<ServerProcess, 'pid'>,
  field: RegExp,
): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = field.exec(status)?.[1]
  return kib === undefined ? null : Math.round(Number(kib) / 1024)
}
