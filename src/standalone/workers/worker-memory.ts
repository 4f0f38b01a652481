import { getHeapStatistics } from 'node:v8'
import { type Finding, warning } from '../../service/doctor/finding.ts'

const oldSpace = /^--max[-_]old[-_]space[-_]size=(\d+)$/
const semiSpace = /^--max[-_]semi[-_]space[-_]size=(\d+)$/
const mebibyte = 1_048_576

/** The memory in MiB that a worker needs at least. */
export const leastHeapMib = 96

/** Larger semi-spaces take memory, but save no CPU. */
const mostSemiSpaceMib = 16

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
  const whole = lastOf(words, oldSpace) ?? Math.floor(limitBytes / mebibyte)
  return Math.max(leastHeapMib, Math.floor(whole / count))
}

/** The options of Node that this process was started with; later ones have precedence. */
export const optionsOfNode = (): string[] => [
  ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/),
  ...process.execArgv,
]

/** Returns the arguments of Node for a worker. */
export function argumentsOfWorker(count: number, words = optionsOfNode()): string[] {
  const heap = heapOfWorker(count, words)
  return [
    ...process.execArgv.filter((word) => !oldSpace.test(word)),
    `--max-old-space-size=${heap}`,
    ...(lastOf(words, semiSpace) === undefined
      ? [`--max-semi-space-size=${semiSpaceFor(heap)}`]
      : []),
  ]
}

/**
 * Checks that V8 does not take more memory for new objects than the operator's limit of the heap
 * can hold. Node derives that part from the memory of the machine, not from `--max-old-space-size`.
 * Where it is too large, V8 collects the whole heap instead of new objects only.
 */
export function checkHeap(
  words = optionsOfNode(),
  limitBytes = getHeapStatistics().heap_size_limit,
): Finding[] {
  const heap = lastOf(words, oldSpace)
  if (heap === undefined || lastOf(words, semiSpace) !== undefined) return []
  const young = Math.round(limitBytes / mebibyte) - heap
  if (young <= heap / 4) return []
  return [
    warning(
      'memory',
      `beside --max-old-space-size=${heap}, V8 takes up to ${young} MiB for new objects, and collects the whole heap when many requests arrive`,
      `add --max-semi-space-size=${semiSpaceFor(heap)} to NODE_OPTIONS`,
    ),
  ]
}

/** New objects take three semi-spaces, which is less than a quarter of the heap. */
const semiSpaceFor = (heapMib: number): number =>
  Math.max(1, Math.min(mostSemiSpaceMib, Math.floor(heapMib / 16)))

function lastOf(words: readonly string[], option: RegExp): number | undefined {
  const value = words.flatMap((word) => option.exec(word)?.[1] ?? []).at(-1)
  return value === undefined ? undefined : Number(value)
}
