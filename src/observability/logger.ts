type Log = (fields: object, message: string) => void

/** What Latchkey writes its diagnostics to. A pino logger fits as it is. */
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

/** Whether nobody hears: what is to be said need not be put into words. */
export const isSilent = (logger: Logger): boolean => logger === silentLogger

/** The library says nothing unless it was given a logger. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}
