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
 * @param lines the destination, if others write to it, too.
 */
export function createLogger(
  { level, file }: ResolvedLog,
  fields: object | null = null,
  lines: BoundedLines = openLines(file),
): Logger {
  const destination: DestinationStream = { write: (line) => lines.write(escapeControls(line)) }
  return pino(
    {
      level,
      // GoTrue has a level `panic` above `fatal`. No event has that level, so nothing is written.
      customLevels: { panic: 70 },
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
}

/**
 * Opens the destination of a log.
 *
 * @param file a path, or null for standard error.
 */
export const openLines = (file: string | null): BoundedLines =>
  linesTo(file === null ? openStandard('stderr') : openFile(file))

/** Opens a standard stream as a destination of lines. */
export const openStandardLines = (stream: StandardStream): BoundedLines =>
  linesTo(openStandard(stream))

/**
 * Returns a destination that drops lines if the disk is full or the pipe is not read. pino's own
 * stream would retry without end and keep the process alive, or end it.
 */
function linesTo(descriptor: number): BoundedLines {
  const lines = boundedLines(writerTo(descriptor), (dropped) =>
    JSON.stringify({
      level: 'warn',
      time: new Date().toISOString(),
      dropped,
      msg: 'lines of this log were dropped: the reader was too slow, or the disk was full',
    }),
  )
  process.once('exit', lines.flush)
  return lines
}

export type StandardStream = 'stdout' | 'stderr'

/**
 * Opens a standard stream without blocking: as a pipe or socket it blocks the writer until Node has
 * opened it.
 */
const openStandard = (stream: StandardStream): number => process[stream].fd

/** Returns the standard stream that a path names; null for other paths. */
export function standardStreamOf(file: string): StandardStream | null {
  if (/^\/(dev\/(stdout|fd\/1)|proc\/self\/fd\/1)$/.test(file)) return 'stdout'
  return /^\/(dev\/(stderr|fd\/2)|proc\/self\/fd\/2)$/.test(file) ? 'stderr' : null
}

/** @throws ConfigError if the file cannot be opened. */
function openFile(file: string): number {
  try {
    return openToAppend(file)
  } catch (error) {
    // A socket cannot be opened by its path. It is the standard stream of a worker, for example.
    const stream = standardStreamOf(file)
    if (stream !== null && Object(error).code === 'ENXIO') return openStandard(stream)
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

/** A destination of lines that blocks no writer. */
export interface BoundedLines {
  /** Writes one line or several, with their line breaks. */
  write(lines: string): void
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
  const waitOrDrop = (text: string): void => {
    const bytes = Buffer.from(text)
    // After the first dropped line all are dropped until the waiting ones are written, so that the
    // notice stands in the place of the gap.
    if (dropped > 0 || waitingBytes + bytes.length > maxWaitingBytes) dropped += linesIn(text)
    else wait(bytes)
  }
  const writeFresh = (): void => {
    if (fresh.length === 0) return
    const lines = fresh
    fresh = []
    freshLength = 0
    if (waiting.length === 0) writeNext(Buffer.from(lines.join('')))
    else for (const line of lines) waitOrDrop(line)
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

const linesIn = (text: string): number => text.split('\n').length - 1

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
