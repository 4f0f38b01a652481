import { Console } from 'node:console'

type Log = (fields: object, message: string) => void

/**
 * What Latchkey writes its diagnostics to. All five methods are required. A pino logger fits as it is; `console` has no
 * `fatal`, and takes the message first.
 *
 * Each is called with an object of fields, which can be written as JSON, and a message. Neither holds a secret or a
 * whole address. What a method throws is ignored.
 */
export interface Logger {
  debug: Log
  info: Log
  warn: Log
  error: Log
  fatal: Log
}

/** The same log for those whom it must not stop: what was done is done, also where a host's log fails. */
export function steadyLogger(logger: Logger): Logger {
  const steady =
    (level: keyof Logger): Log =>
    (fields, message) => {
      try {
        logger[level](fields, message)
      } catch {
        // Nobody is left to tell.
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

/** Whether nobody hears what goes as it should, or how requests were answered. */
export const hearsOnlyTrouble = (logger: Logger): boolean =>
  logger === silentLogger || logger === stderrLogger

/** For hosts that ask for silence. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}

/** How much may wait for whoever reads stderr: lines beyond that are dropped. */
const maxWaitingBytes = 1_048_576

const say =
  (level: string): Log =>
  (fields, message) => {
    if (process.stderr.writableLength > maxWaitingBytes) return
    const details = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
    // Unlike the stream itself, a console does not end a process whose stderr is closed.
    new Console(process.stderr).error(
      '%s',
      `[latchkey] ${level}: ${message}${details}`.replace(/[\r\n]+/g, ' '),
    )
  }

/** For hosts that gave none: warnings and errors on stderr, a line each. */
export const stderrLogger: Logger = steadyLogger({
  debug: ignore,
  info: ignore,
  warn: say('warn'),
  error: say('error'),
  fatal: say('fatal'),
})
