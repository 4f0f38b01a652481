import type { Seconds } from './values.ts'

/** Where `latchkey serve` listens, what it takes from request headers, and how long a request may take. */
export interface ServerConfig {
  /** Of `latchkey serve` alone: address to listen on. All interfaces when left out. */
  host?: string | undefined
  /** Of `latchkey serve` alone: port to listen on. Default 8081. */
  port?: number | undefined
  /** Header of the request that names its id. Without one every request gets a fresh id. */
  requestIdHeader?: string | undefined
  /** How long a request may take before it is answered with 504, in every host. Default 10 s; 0 sets no end. */
  requestTimeoutSeconds?: Seconds | undefined
  /**
   * Of `latchkey serve` alone: connections that clients may have open at a time. Beyond it, one that carries no
   * request makes room for the next. A client with a public address gets half of them, unless a proxy is
   * declared. Default 1000; 0 sets no ceiling.
   */
  maxConnections?: number | undefined
  /**
   * Of `latchkey serve` alone: whether changed files of `--config-dir` are read anew by themselves. Default true; SIGHUP has
   * them read in any case.
   */
  watchEnabled?: boolean | undefined
  /** Of `latchkey serve` alone: how often they are looked at. Default 10 s. */
  watchIntervalSeconds?: Seconds | undefined
  /** Of `latchkey serve` alone: how long they must have stayed as they are. Default 5 s. */
  watchQuietSeconds?: Seconds | undefined
  cors?:
    | {
        /** Request headers that browsers may send beside the built-in ones. */
        allowedHeaders?: readonly string[] | undefined
      }
    | undefined
  /** Of `latchkey serve` alone: whether it has subscription pages beside the endpoints. In code, see `createSubscribePages`. */
  subscribePagesEnabled?: boolean | undefined
  /** Of `latchkey serve` alone: the origins whose scripts may ask those. Default: none. */
  subscribePagesOrigins?: readonly string[] | undefined
}

export interface ResolvedServer {
  host: string
  port: number
  requestIdHeader: string | null
  requestTimeoutSeconds: number
  /** 0: no ceiling. */
  maxConnections: number
  watchEnabled: boolean
  watchIntervalSeconds: number
  watchQuietSeconds: number
  cors: { allowedHeaders: readonly string[] }
  subscribePagesEnabled: boolean
  subscribePagesOrigins: readonly string[]
}

/** Limits of the HTTP interface, in every host. */
export interface ApiConfig {
  /** Bytes that all bodies of requests take together while they are received and served. Default 32 MiB. */
  maxBodyBytesInFlight?: number | undefined
}

/** Requests that Latchkey makes of others. */
export interface OutgoingConfig {
  /** Requests to providers, captcha services and hooks at a time that clients cause. Default 16. */
  maxRequests?: number | undefined
  /** How long an SMS carrier or an external provider may take to answer. Default 10 s. */
  timeoutSeconds?: Seconds | undefined
}

/** Severities of the server's log, gravest first. */
export type LogLevel = 'panic' | 'fatal' | 'error' | 'warn' | 'info' | 'debug'

/** Of `latchkey serve` alone: what it writes to its log, and where. In code, give `logger` instead. */
export interface LogConfig {
  /** Of `latchkey serve` alone. Default `info`. `warning` means `warn`. */
  level?: LogLevel | 'warning' | undefined
  /** Of `latchkey serve` alone: file that lines are appended to. Standard error when left out. */
  file?: string | undefined
}

export interface ResolvedLog {
  level: LogLevel
  file: string | null
}
