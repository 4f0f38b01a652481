import { constants, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DestinationStream, pino } from 'pino'
import type { ResolvedLog } from '../config/sections/server.ts'
import type { Logger } from '../observability/logger.ts'
import { boundedLines, type LineWriter } from './bounded-lines.ts'

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

/** A pipe may be given as a file as well, such as `/dev/stdout`. */
function openFile(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  const { O_APPEND, O_CREAT, O_NONBLOCK = 0, O_WRONLY } = constants
  return openSync(file, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY)
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
