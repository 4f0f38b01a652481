import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'

/** A group of processes whose memory the kernel limits, as in a container. */
export interface MemoryLimit {
  /** Wraps a command, so that it starts in the group. */
  wrap(command: string[]): string[]
  /** The largest memory of the group so far, in MiB. */
  peakMib(): number
  remove(): void
}

const root = '/sys/fs/cgroup'
let groups = 0

/** The files of the two versions of control groups. */
const versions = [
  {
    home: `${root}/memory`,
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
  },
  { home: root, limit: 'memory.max', peak: 'memory.peak' },
]

/**
 * Limits memory by a control group of Linux. Node derives the limits of its heap from it. Returns
 * null where the user may not create groups.
 */
export function limitMemory(mib: number): MemoryLimit | null {
  groups += 1
  for (const { home, limit, peak } of versions) {
    const group = `${home}/latchkey-test-${process.pid}-${groups}`
    try {
      mkdirSync(group)
    } catch {
      continue
    }
    if (existsSync(`${group}/${limit}`)) {
      writeFileSync(`${group}/${limit}`, String(mib * 2 ** 20))
      const program = `echo $$ > ${group}/cgroup.procs && exec "$@"`
      return {
        wrap: (command) => ['/bin/sh', '-c', program, 'sh', ...command],
        peakMib: () => Math.round(Number(readFileSync(`${group}/${peak}`, 'utf8')) / 2 ** 20),
        remove: () => rmdirSync(group),
      }
    }
    rmdirSync(group)
  }
  return null
}
