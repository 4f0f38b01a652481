import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BoundedLines,
  openLines,
  openStandardLines,
  standardStreamOf,
} from '../server/logger.ts'

/** The destinations of the first process, to which it also writes the output of the workers. */
export interface WorkerOutput {
  /** The destination of the log of the first process. */
  log: BoundedLines
  /**
   * Writes the output of a worker in whole lines.
   *
   * @returns a promise that resolves when the process has ended and all its output was read.
   */
  follow(worker: ChildProcess): Promise<void>
}

/**
 * The standard streams of a worker: sockets that this process reads. It does not inherit those of
 * this process. libuv makes an inherited stream blocking for all processes that share it when it
 * starts a process, and so does Node when it ends. A log that no process reads would block them.
 */
export const stdioOfWorker: ('ignore' | 'pipe' | 'ipc')[] = ['ignore', 'pipe', 'pipe', 'ipc']

/**
 * The time limit for reading the rest of the output after the end of a worker: a process that it
 * has started may keep the socket open.
 */
const restMs = 1_000
/** The most characters of a line that wait for its end. */
const maxLineLength = 1_048_576

/** @param file the file of the log; null for standard error. */
export function openWorkerOutput(file: string | null): WorkerOutput {
  const streams = { stdout: openStandardLines('stdout'), stderr: openStandardLines('stderr') }
  const named = file === null ? 'stderr' : standardStreamOf(file)
  return {
    log: named === null ? openLines(file) : streams[named],
    follow: async (worker) => {
      const { stdout, stderr } = worker
      const read = Promise.all([
        stdout && copyLines(stdout, streams.stdout),
        stderr && copyLines(stderr, streams.stderr),
      ])
      // A process that was not created emits `error` only.
      await new Promise((resolve) => worker.once('exit', resolve).once('error', resolve))
      await Promise.race([read, sleep(restMs, undefined, { ref: false })])
      stdout?.destroy()
      stderr?.destroy()
      await read
    },
  }
}

/** Copies a stream to lines. A last line without its line break gets one. */
async function copyLines(stream: Readable, lines: BoundedLines): Promise<void> {
  let rest = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const text = rest + chunk
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    if (end > 0) lines.write(text.slice(0, end))
    if (rest.length > maxLineLength) writeRest()
  })
  const writeRest = (): void => {
    if (rest !== '') lines.write(`${rest}\n`)
    rest = ''
  }
  stream.on('error', () => {})
  await once(stream, 'close')
  writeRest()
}
