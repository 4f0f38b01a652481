import { readFile } from 'node:fs/promises'
import { type ServerProcess, startServer } from '../support/server-process.ts'

interface SmallServer {
  heapMib: number
  /** Further options of Node. */
  nodeOptions?: string
  env?: Record<string, string>
}

/** `latchkey serve` with a heap that a flood exhausts soon. */
export const startSmallServer = (
  databaseUrl: string,
  { heapMib, nodeOptions = '', env }: SmallServer,
): Promise<ServerProcess> =>
  startServer(databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMib} ${nodeOptions}`,
    ...env,
  })

/** The most memory that a process ever held, in MiB. Linux alone tells; elsewhere null. */
export const peakMemoryMib = (process: Pick<ServerProcess, 'pid'>): Promise<number | null> =>
  statusMib(process, /^VmHWM:\s+(\d+) kB$/m)

/** The memory that a process holds at the moment, in MiB. Linux alone reports it; elsewhere null. */
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
