import { writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import type { ResolvedLog } from '../../platform/config/sections/server.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { escapeControls } from '../../platform/kit/escape-controls.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { openToAppend } from '../private-files.ts'

/**
 * Creates a logger that writes one line of JSON per event, to a file or to standard error. Callers
 * never pass a secret, so nothing is redacted.
 *
 * @param fields the fields of every line.
 */
export function createLogger({ level, file }: ResolvedLog, fields: object | null = null): Logger {
  return pino(
    {
      level,
      // GoTrue has a level `panic` above `fatal`. No event has that level, so nothing is written.
      customLevels: { panic: 70 },
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    openDestination(file),
  )
}

/**
 * Opens a destination that drops lines if the disk is full or the pipe is not read. pino's own
 * stream would retry without end and keep the process alive, or end it.
 */
function openDestination(file: string | null): DestinationStream {
  const lines = boundedLines(
    writerTo(file === null ? standardError() : openFile(file)),
    (dropped) =>
      JSON.stringify({
        level: 'warn',
        time: new Date().toISOString(),
        dropped,
        msg: 'lines of this log were dropped: the reader was too slow, or the disk was full',
      }),
  )
  process.once('exit', lines.flush)
  return { write: (line) => lines.write(escapeControls(line)) }
}

/**
 * Opens standard error without blocking: as a pipe or socket it blocks the writer until Node has
 * opened it.
 */
function standardError(): number {
  return process.stderr.fd
}

/** @throws ConfigError if the file cannot be opened. */
function openFile(file: string): number {
  try {
    return openToAppend(file)
  } catch (error) {
    throw new ConfigError([
      { path: 'AUTH_LOG_FILE', message: `cannot be used: ${describeError(error)}` },
    ])
  }
}

const writerTo =
  (descriptor: number): LineWriter =>
  (bytes) => {
    try {
      return writeSync(descriptor, bytes)
    } catch {
      return 0
    }
  }

/**
 * Writes as many of the bytes as the destination accepts now, and returns their number; 0 if the
 * write fails, too.
 */
type LineWriter = (bytes: Buffer) => number

interface BoundedLines {
  write(line: string): void
  /** Writes as much as the destination accepts. */
  flush(): void
}

/** The most bytes that wait to be written. */
const maxWaitingBytes = 1_048_576
/** The most characters of one callback that are written together. */
const maxFreshLength = 65_536
/** The interval between attempts to write waiting lines. */
const tryEveryMs = 50

/**
 * Writes lines in order, at the end of the callback in which they were logged and together: each
 * write is a call of the system, which takes longer than the formatting of a line. No other event
 * is handled in between, and the end of the process calls `flush`, so that a crash loses no line.
 *
 * While the destination accepts no bytes, lines wait. The waiting bytes are bounded: lines beyond
 * the limit are dropped and counted, and a line with their number is written once the destination
 * accepts bytes again.
 *
 * @param notice returns the line, without its line break, that reports how many were dropped.
 */
export function boundedLines(write: LineWriter, notice: (dropped: number) => string): BoundedLines {
  /** The lines of the current callback. */
  let fresh: string[] = []
  let freshLength = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let dropped = 0
  let trying: NodeJS.Timeout | undefined

  const wait = (bytes: Buffer): void => {
    waiting.push(bytes)
    waitingBytes += bytes.length
    trying ??= setInterval(writeWaiting, tryEveryMs).unref()
  }
  const writeWaiting = (): void => {
    if (waiting.length === 0) return
    const rest = writeAll(write, Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
    if (rest) {
      wait(rest)
      return
    }
    clearInterval(trying)
    trying = undefined
    if (dropped === 0) return
    const noticeLine = `${notice(dropped)}\n`
    dropped = 0
    writeNext(Buffer.from(noticeLine))
  }
  const writeNext = (bytes: Buffer): void => {
    const rest = writeAll(write, bytes)
    if (rest) wait(rest)
  }
  const waitOrDrop = (bytes: Buffer): void => {
    // After the first dropped line all are dropped until the waiting ones are written, so that the
    // notice stands in the place of the gap.
    if (dropped > 0 || waitingBytes + bytes.length > maxWaitingBytes) dropped += 1
    else wait(bytes)
  }
  const writeFresh = (): void => {
    if (fresh.length === 0) return
    const lines = fresh
    fresh = []
    freshLength = 0
    if (waiting.length === 0) writeNext(Buffer.from(lines.join('')))
    else for (const line of lines) waitOrDrop(Buffer.from(line))
  }
  return {
    flush: () => {
      writeFresh()
      writeWaiting()
    },
    write: (line) => {
      if (fresh.push(line) === 1) process.nextTick(writeFresh)
      freshLength += line.length
      if (freshLength > maxFreshLength) writeFresh()
    },
  }
}

/** Returns the bytes that the destination did not accept; null if it accepted all. */
function writeAll(write: LineWriter, bytes: Buffer): Buffer | null {
  let rest = bytes
  while (rest.length > 0) {
    const written = write(rest)
    if (written === 0) return rest
    rest = rest.subarray(written)
  }
  return null
}
