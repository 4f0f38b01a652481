import type { Seconds } from './values.ts'

/** The address of `latchkey serve`, its request headers, and the time limit of requests. */
export interface ServerConfig {
  /** For `latchkey serve` only: the address to listen on. Default: all interfaces. */
  host?: string | undefined
  /** For `latchkey serve` only: the port to listen on. Default 8081. */
  port?: number | undefined
  /** The request header with the request id. By default every request gets a new id. */
  requestIdHeader?: string | undefined
  /**
   * The time limit after which a request gets a 504, in every host. Default 10 s; 0 disables it.
   */
  requestTimeoutSeconds?: Seconds | undefined
  /**
   * For `latchkey serve` only: the maximum of open connections. Beyond it, a new connection
   * replaces one without a request. A client with a public address gets half of them, unless a
   * proxy is declared. Default 1000; 0 disables the limit.
   */
  maxConnections?: number | undefined
  /**
   * For `latchkey serve` only: the number of processes that share the port; `'auto'` is the number
   * of cores. Default 1.
   */
  workers?: WorkerCount | undefined
  /**
   * For `latchkey serve` only: how long a server that received a signal to stop still accepts connections
   * while `/ready` returns 503. Default 0.
   */
  shutdownDelaySeconds?: Seconds | undefined
  /**
   * For `latchkey serve` only: whether changed files of `--config-dir` are reloaded automatically.
   * Default true; SIGHUP reloads them in any case.
   */
  watchEnabled?: boolean | undefined
  /** For `latchkey serve` only: the interval of checks for changes. Default 10 s. */
  watchIntervalSeconds?: Seconds | undefined
  /**
   * For `latchkey serve` only: how long files must be unchanged before they are reloaded. Default 5
   * s.
   */
  watchQuietSeconds?: Seconds | undefined
  cors?:
    | {
        /** Request headers that browsers may send in addition to the built-in ones. */
        allowedHeaders?: readonly string[] | undefined
      }
    | undefined
  /**
   * For `latchkey serve` only: whether it serves subscription pages. In code, see
   * `createSubscribePages`.
   */
  subscribePagesEnabled?: boolean | undefined
  /**
   * For `latchkey serve` only: the origins whose scripts may request these pages. Default: none.
   */
  subscribePagesOrigins?: readonly string[] | undefined
}

/** A number of processes, or one for each core. */
export type WorkerCount = number | 'auto'

export interface ResolvedServer {
  host: string
  port: number
  workers: WorkerCount
  requestIdHeader: string | null
  requestTimeoutSeconds: number
  /** 0: no limit. */
  maxConnections: number
  shutdownDelaySeconds: number
  watchEnabled: boolean
  watchIntervalSeconds: number
  watchQuietSeconds: number
  cors: { allowedHeaders: readonly string[] }
  subscribePagesEnabled: boolean
  subscribePagesOrigins: readonly string[]
}

/** Limits of the HTTP interface, in every host. */
export interface ApiConfig {
  /**
   * The maximum number of bytes of all request bodies that are being received and served. Default
   * 32 MiB.
   */
  maxBodyBytesInFlight?: number | undefined
  /**
   * The maximum number of requests that are being served. Beyond it, one of the network with the
   * most requests gets a 503. Default 2,000.
   */
  maxRequestsInFlight?: number | undefined
}

/** Outgoing requests. */
export interface OutgoingConfig {
  /**
   * The maximum of concurrent requests to providers, captcha services and hooks that clients cause.
   * Default 16.
   */
  maxRequests?: number | undefined
  /** The time limit of requests to an SMS carrier or an external provider. Default 10 s. */
  timeoutSeconds?: Seconds | undefined
}

/** Severities of the server's log, the most severe first. */
type LogLevel = 'panic' | 'fatal' | 'error' | 'warn' | 'info' | 'debug'

/** For `latchkey serve` only: its log. In code, use `logger` instead. */
export interface LogConfig {
  /** For `latchkey serve` only. Default `info`. `warning` means `warn`. */
  level?: LogLevel | 'warning' | undefined
  /** For `latchkey serve` only: the file that lines are appended to. Default: standard error. */
  file?: string | undefined
}

export interface ResolvedLog {
  level: LogLevel
  file: string | null
}

/**
 * Extends the process's lifetime until work after a response has ended, as `waitUntil` of Vercel,
 * Netlify and Cloudflare does. The promise never rejects, and ends within 25 seconds.
 */
export type WaitUntil = (work: Promise<void>) => unknown

/** Work after a response, and the host's guarantees for it. */
export interface BackgroundConfig {
  /**
   * Receives the work after each request and call, such as the delivery of messages. An option of
   * the same name of `auth.fetch` replaces it for one request. Default: none.
   */
  waitUntil?: WaitUntil | undefined
  /**
   * Whether the process is suspended between requests, as on serverless hosts. Background tasks
   * that are due then run with a request, and Latchkey relies on no timer, thread or listening
   * connection: see `docs/serverless.md`. Default false.
   */
  frozenBetweenRequests?: boolean | undefined
  /**
   * For processes that are suspended between requests and have no `waitUntil`: how long a response
   * waits for the delivery of its messages. Responses whose duration must not disclose whether an
   * account exists always take this long. Default 2 s.
   */
  answerDelaySeconds?: Seconds | undefined
}

export interface ResolvedBackground {
  waitUntil: WaitUntil | null
  frozenBetweenRequests: boolean
  answerDelaySeconds: number
}
