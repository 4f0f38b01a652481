import { Console } from 'node:console'
import { escapeControls } from '../kit/escape-controls.ts'

type Log = (fields: object, message: string) => void

/**
 * A log for diagnostics, such as a pino logger.
 *
 * Each is called with an object of fields, which can be serialized as JSON, and a message. Neither
 * contains a secret or a whole address. Exceptions of a method are ignored.
 */
export interface Logger {
  debug: Log
  info: Log
  warn: Log
  error: Log
  fatal: Log
}

/** The log of a host, such as a pino logger or `console`. Without `fatal`, `error` is called. */
export type HostLogger = Omit<Logger, 'fatal'> & Partial<Logger>

/**
 * Returns the same log without its exceptions, so that a host's failing log does not interrupt an
 * operation.
 */
export function nonThrowingLogger(logger: HostLogger): Logger {
  const steady =
    (level: keyof Logger): Log =>
    (fields, message) => {
      try {
        if (logger[level]) logger[level](fields, message)
        else logger.error(fields, message)
      } catch {
        // The log itself fails, so the error cannot be reported.
      }
    }
  return {
    debug: steady('debug'),
    info: steady('info'),
    warn: steady('warn'),
    error: steady('error'),
    fatal: steady('fatal'),
  }
}

const ignore: Log = () => {}

/** Reports whether a logger ignores levels below warnings. */
export const logsWarningsOnly = (logger: Logger): boolean =>
  logger === silentLogger || logger === stderrLogger

/** The logger of hosts that disable logging. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}

/** The maximum number of bytes that wait for the reader of stderr: lines beyond it are dropped. */
const maxWaitingBytes = 1_048_576

const write =
  (level: string): Log =>
  (fields, message) => {
    if (process.stderr.writableLength > maxWaitingBytes) return
    const details = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
    const line = `[latchkey] ${level}: ${message}${details}`.replace(/[\r\n]+/g, ' ')
    // Unlike the stream itself, a console does not end a process whose stderr is closed.
    new Console(process.stderr).error('%s', escapeControls(line))
  }

/** The default logger: warnings and errors on stderr, one line each. */
export const stderrLogger: Logger = nonThrowingLogger({
  debug: ignore,
  info: ignore,
  warn: write('warn'),
  error: write('error'),
  fatal: write('fatal'),
})
