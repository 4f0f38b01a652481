import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { workersOf } from '../support/worker-processes.ts'

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

/** Returns the peak memory of a process, or of its largest worker, in MiB; null except on Linux. */
export const peakMemoryMib = (process: Pick<ServerProcess, 'pid'>): Promise<number | null> =>
  statusMib(process, /^VmHWM:\s+(\d+) kB$/m)

/** Returns the present memory of the same in MiB; null except on Linux. */
export const memoryMib = (process: Pick<ServerProcess, 'pid'>): Promise<number | null> =>
  statusMib(process, /^VmRSS:\s+(\d+) kB$/m)

async function statusMib(
  { pid }: Pick<ServerProcess, 'pid'>,
  field: RegExp,
): Promise<number | null> {
  if (!existsSync('/proc')) return null
  let kib = 0
  for (const one of [pid, ...workersOf({ pid })]) {
    const status = await readFile(`/proc/${one}/status`, 'utf8').catch(() => '')
    kib = Math.max(kib, Number(field.exec(status)?.[1] ?? 0))
  }
  return Math.round(kib / 1024)
}
