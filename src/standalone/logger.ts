import { writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import type { ResolvedLog } from '../platform/config/sections/server.ts'
import { ConfigError } from '../platform/errors/config-error.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { boundedLines, type LineWriter } from './bounded-lines.ts'
import { inWords } from './in-words.ts'
import { openToAppend } from './private-files.ts'

/**
 * One line of JSON per event, to a file or to standard error. Nothing secret is ever handed to a
 * logger, so there is nothing to redact.
 */
export function createLogger({ level, file }: ResolvedLog): Logger {
  return pino(
    {
      level,
      // Above `fatal` there is `panic`: at that level nothing is written, since nothing is that bad.
      customLevels: { panic: 70 },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    openDestination(file),
  )
}

/**
 * pino's own stream would try again for ever, and with it the process, or end it, where the disk is full or nobody
 * reads: a line is late or lost then, and the service goes on.
 */
function openDestination(file: string | null): DestinationStream {
  const lines = boundedLines(
    writerTo(file === null ? standardError() : openFile(file)),
    (dropped) =>
      JSON.stringify({
        level: 'warn',
        time: new Date().toISOString(),
        dropped,
        msg: 'lines of this log were dropped: nobody read them, or there was no space',
      }),
  )
  process.once('exit', lines.flush)
  return lines
}

/** As a pipe or socket, standard error keeps a writer waiting until Node has opened it. */
function standardError(): number {
  return process.stderr.fd
}

/** @throws ConfigError when the file cannot be opened. */
function openFile(file: string): number {
  try {
    return openToAppend(file)
  } catch (error) {
    throw new ConfigError([{ path: 'AUTH_LOG_FILE', message: `cannot be used: ${inWords(error)}` }])
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
