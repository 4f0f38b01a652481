import { readFile } from 'node:fs/promises'
import { type ServerProcess, startServer } from '../support/server-process.ts'

/** `latchkey serve` with a heap that a flood exhausts soon. */
export const startSmallServer = (
  databaseUrl: string,
  { heapMib, env }: { heapMib: number; env?: Record<string, string> },
): Promise<ServerProcess> =>
  startServer(databaseUrl, { NODE_OPTIONS: `--max-old-space-size=${heapMib}`, ...env })

/** The most memory that a process ever held, in MiB. Linux alone tells; elsewhere null. */
export async function peakMemoryMib({ pid }: Pick<ServerProcess, 'pid'>): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return peak === undefined ? null : Math.round(Number(peak) / 1024)
}
