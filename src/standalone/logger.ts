import { writeSync } from 'node:fs'
import { type DestinationStream, destination, pino } from 'pino'
import type { ResolvedLog } from '../config/sections/server.ts'
import type { Logger } from '../observability/logger.ts'

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

const openDestination = (file: string | null): DestinationStream =>
  file === null ? standardError : destination({ dest: file, append: true, mkdir: true, sync: true })

/**
 * Writes each line at once. pino's own stream would try again for ever, and with it the process, where standard error
 * is full or gone: a line is lost then, and the service goes on.
 */
const standardError: DestinationStream = {
  write: (line) => {
    try {
      writeSync(2, line)
    } catch {
      // Nobody can be told.
    }
  },
}
