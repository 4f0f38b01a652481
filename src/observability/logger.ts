type Log = (fields: object, message: string) => void

/** What Latchkey writes its diagnostics to. A pino logger fits as it is. */
export interface Logger {
  debug: Log
  info: Log
  warn: Log
  error: Log
  fatal: Log
}

const ignore: Log = () => {}

/** The library says nothing unless it was given a logger. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
}
