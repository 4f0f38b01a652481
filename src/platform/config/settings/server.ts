import { boolean, oneOf } from '../parsers/choices.ts'
import { waitUntil } from '../parsers/code-only.ts'
import { list } from '../parsers/lists.ts'
import { integer, port, seconds, workerCount } from '../parsers/numbers.ts'
import { headerName, text } from '../parsers/texts.ts'
import { origin } from '../parsers/urls.ts'
import { live } from '../setting.ts'

export const serverSettings = [
  live('server.host', {
    env: 'API_HOST',
    parser: text,
    default: '',
    defaultText: 'all interfaces',
    serverOnly: true,
    description: 'Address that the server listens on.',
  }),
  live('server.port', {
    env: 'API_PORT',
    aliases: ['PORT'],
    bare: ['PORT'],
    parser: port,
    default: 8081,
    serverOnly: true,
    description: 'Port that the server listens on; 0 chooses a free one.',
  }),
  live('server.requestIdHeader', {
    env: 'REQUEST_ID_HEADER',
    gotrue: ['REQUEST_ID_HEADER', 'API_REQUEST_ID_HEADER'],
    parser: headerName,
    default: null,
    description: 'Request header with the request id.',
  }),
  live('server.requestTimeoutSeconds', {
    env: 'API_MAX_REQUEST_DURATION',
    // In GoTrue a negative number means zero. Timers are limited to 24 days.
    parser: seconds({ min: 0, max: 86_400, outside: 0 }),
    default: 10,
    description: 'Time limit after which a request gets a 504; 0 disables it.',
  }),
  live('server.maxConnections', {
    env: 'API_MAX_CONNECTIONS',
    gotrue: [],
    parser: integer('connections', { min: 0 }),
    default: 1000,
    serverOnly: true,
    description:
      'Maximum of open connections, half of it for one client; beyond it, a new connection replaces one without a request; 0 disables the limit.',
  }),
  live('server.workers', {
    env: 'WORKERS',
    gotrue: [],
    parser: workerCount,
    default: 1,
    serverOnly: true,
    description:
      'Number of processes of `latchkey serve` that share the port; `auto` is the number of cores: `docs/scale.md`.',
  }),
  live('server.shutdownDelaySeconds', {
    env: 'SHUTDOWN_DELAY',
    gotrue: [],
    parser: seconds({ min: 0, max: 3_600 }),
    default: 0,
    serverOnly: true,
    description:
      'Time for which a server that received a signal to stop still accepts connections while `/ready` returns 503: `docs/operations.md`.',
  }),
  live('server.watchEnabled', {
    env: 'RELOADING_NOTIFY_ENABLED',
    parser: boolean,
    default: true,
    serverOnly: true,
    description:
      'Whether changed files of `--config-dir` are reloaded automatically; SIGHUP reloads them in any case: `docs/operations.md`.',
  }),
  live('server.watchIntervalSeconds', {
    env: 'RELOADING_POLLER_INTERVAL',
    parser: seconds({ min: 0.1, max: 86_400 }),
    default: 10,
    serverOnly: true,
    description: 'Interval of checks for changed files.',
  }),
  live('server.watchQuietSeconds', {
    env: 'RELOADING_GRACE_PERIOD_INTERVAL',
    parser: seconds({ min: 0, max: 3_600 }),
    default: 5,
    serverOnly: true,
    description: 'How long files must be unchanged before they are reloaded.',
  }),
  live('server.cors.allowedHeaders', {
    env: 'CORS_ALLOWED_HEADERS',
    parser: list(headerName),
    default: [],
    description: 'Request headers that browsers may send in addition to the built-in ones.',
  }),
  live('server.subscribePagesEnabled', {
    env: 'SUBSCRIBE_PAGES_ENABLED',
    gotrue: [],
    parser: boolean,
    default: false,
    serverOnly: true,
    description: 'Whether the server has subscription pages: `docs/subscribe-pages.md`.',
  }),
  live('server.subscribePagesOrigins', {
    env: 'SUBSCRIBE_PAGES_CORS_ORIGINS',
    gotrue: [],
    parser: list(origin),
    default: [],
    serverOnly: true,
    description: 'Origins whose scripts may request the subscription pages.',
  }),
  live('api.maxBodyBytesInFlight', {
    env: 'API_MAX_BODY_BYTES_IN_FLIGHT',
    gotrue: [],
    parser: integer('bytes', { min: 1_048_576, max: 17_179_869_184 }),
    default: 33_554_432,
    bounds: {
      unit: 'bytes',
      unusual: 268_435_456,
      ceiling: 4_294_967_296,
      source: 'OWASP API4:2023',
    },
    description:
      'Maximum number of bytes of all request bodies that are being received and served; beyond it a request gets a 503.',
  }),
  live('api.maxRequestsInFlight', {
    env: 'API_MAX_REQUESTS_IN_FLIGHT',
    gotrue: [],
    parser: integer('requests', { min: 16, max: 1_000_000 }),
    default: 2_000,
    bounds: { unit: 'requests', unusual: 50_000, ceiling: 1_000_000, source: 'OWASP API4:2023' },
    description:
      'Maximum number of requests that are being served; beyond it, one of the network with the most requests gets a 503.',
  }),
  live('outgoing.maxRequests', {
    env: 'INTERNAL_HTTP_MAX_REQUESTS',
    gotrue: [],
    parser: integer('requests', { min: 1, max: 1_024 }),
    default: 16,
    description:
      'Maximum of concurrent requests that clients cause, each to providers, captcha services and hooks; others wait, or get a 503.',
  }),
  live('outgoing.timeoutSeconds', {
    env: 'INTERNAL_HTTP_TIMEOUT',
    parser: seconds({ min: 0.001 }),
    default: 10,
    bounds: { unit: 'seconds', unusual: 60, ceiling: 600, source: 'OWASP API4:2023' },
    description: 'Time limit of requests to an SMS carrier or an external provider.',
  }),
  live('log.level', {
    env: 'LOG_LEVEL',
    bare: ['LOG_LEVEL'],
    parser: oneOf(['panic', 'fatal', 'error', 'warn', 'info', 'debug'], { warning: 'warn' }),
    default: 'info',
    serverOnly: true,
    description: 'Lowest severity that the server logs; `warning` means `warn`.',
  }),
  live('log.file', {
    env: 'LOG_FILE',
    parser: text,
    default: null,
    defaultText: 'standard error',
    serverOnly: true,
    description:
      'File that the log is appended to, created for its owner only; symbolic links are not followed.',
  }),
]

export const backgroundSettings = [
  live('background.frozenBetweenRequests', {
    env: 'BACKGROUND_FROZEN_BETWEEN_REQUESTS',
    gotrue: [],
    parser: boolean,
    default: false,
    description:
      'Whether the process is suspended between requests, as on serverless hosts: `docs/serverless.md`.',
  }),
  live('background.answerDelaySeconds', {
    env: 'BACKGROUND_ANSWER_DELAY',
    gotrue: [],
    parser: seconds({ min: 0.1, max: 60 }),
    default: 2,
    description:
      'How long a response waits for its messages if the process is suspended after it; responses of sign-up, codes and links always take this long.',
  }),
  live('background.waitUntil', {
    env: null,
    parser: waitUntil,
    default: null,
    description:
      'Function that extends the process’s lifetime until the work after a response has ended.',
  }),
]
