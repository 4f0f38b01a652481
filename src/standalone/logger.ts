import { writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import type { ResolvedLog } from '../platform/config/sections/server.ts'
import { ConfigError } from '../platform/errors/config-error.ts'
import { escapeControls } from '../platform/kit/escape-controls.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { boundedLines, type LineWriter } from './bounded-lines.ts'
import { openToAppend } from './private-files.ts'

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
