import { getHeapStatistics } from 'node:v8'

const option = /^--max[-_]old[-_]space[-_]size=(\d+)$/
const mebibyte = 1_048_576

/** The memory in MiB that a worker needs at least. */
export const leastHeapMib = 96

/**
 * Returns the limit of the heap of one worker, in MiB: its part of the limit of this process, which
 * the operator has set or Node has derived from the memory of the machine or container.
 *
 * @param words the options of Node: its arguments and `NODE_OPTIONS`.
 */
export function heapOfWorker(
  count: number,
  words: readonly string[],
  limitBytes = getHeapStatistics().heap_size_limit,
): number {
  const set = words.flatMap((word) => option.exec(word)?.[1] ?? []).at(-1)
  const whole = set === undefined ? Math.floor(limitBytes / mebibyte) : Number(set)
  return Math.max(leastHeapMib, Math.floor(whole / count))
}

/** The options of Node that this process was started with; later ones have precedence. */
export const optionsOfNode = (): string[] => [
  ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/),
  ...process.execArgv,
]

/** Returns the arguments of Node for a worker. */
export const argumentsOfWorker = (count: number): string[] => [
  ...process.execArgv.filter((word) => !option.test(word)),
  `--max-old-space-size=${heapOfWorker(count, optionsOfNode())}`,
]
