import { boolean, oneOf } from '../kinds/choices.ts'
import { list } from '../kinds/lists.ts'
import { integer, port, seconds } from '../kinds/numbers.ts'
import { headerName, text } from '../kinds/texts.ts'
import { origin } from '../kinds/urls.ts'
import { live } from '../setting.ts'

export const serverSettings = [
  live('server.host', {
    env: 'API_HOST',
    kind: text,
    default: '',
    defaultText: 'all interfaces',
    serverOnly: true,
    description: 'Address that the server listens on.',
  }),
  live('server.port', {
    env: 'API_PORT',
    aliases: ['PORT'],
    bare: ['PORT'],
    kind: port,
    default: 8081,
    serverOnly: true,
    description: 'Port that the server listens on; 0 takes any free one.',
  }),
  live('server.requestIdHeader', {
    env: 'REQUEST_ID_HEADER',
    gotrue: ['REQUEST_ID_HEADER', 'API_REQUEST_ID_HEADER'],
    kind: headerName,
    default: null,
    description: 'Header of the request that its id is taken from.',
  }),
  live('server.requestTimeoutSeconds', {
    env: 'API_MAX_REQUEST_DURATION',
    // In GoTrue a negative number means zero. Timers are limited to 24 days.
    kind: seconds({ min: 0, max: 86_400, outside: 0 }),
    default: 10,
    description: 'Time after which an unfinished request is answered with 504; 0 sets no end.',
  }),
  live('server.maxConnections', {
    env: 'API_MAX_CONNECTIONS',
    gotrue: [],
    kind: integer('connections', { min: 0 }),
    default: 1000,
    serverOnly: true,
    description:
      'Most connections that clients have open at a time, one client half of them; one without a request makes room for the next. 0 sets no ceiling.',
  }),
  live('server.watchEnabled', {
    env: 'RELOADING_NOTIFY_ENABLED',
    kind: boolean,
    default: true,
    serverOnly: true,
    description:
      'Whether changed files of `--config-dir` are read anew by themselves; SIGHUP has them read in any case: `docs/operations.md`.',
  }),
  live('server.watchIntervalSeconds', {
    env: 'RELOADING_POLLER_INTERVAL',
    kind: seconds({ min: 0.1, max: 86_400 }),
    default: 10,
    serverOnly: true,
    description: 'How often those files are looked at.',
  }),
  live('server.watchQuietSeconds', {
    env: 'RELOADING_GRACE_PERIOD_INTERVAL',
    kind: seconds({ min: 0, max: 3_600 }),
    default: 5,
    serverOnly: true,
    description: 'How long they must have stayed as they are before they are read.',
  }),
  live('server.cors.allowedHeaders', {
    env: 'CORS_ALLOWED_HEADERS',
    kind: list(headerName),
    default: [],
    description: 'Request headers that browsers may send beside the built-in ones.',
  }),
  live('server.subscribePagesEnabled', {
    env: 'SUBSCRIBE_PAGES_ENABLED',
    gotrue: [],
    kind: boolean,
    default: false,
    serverOnly: true,
    description:
      'Whether the server has subscription pages beside the endpoints: `docs/subscribe-pages.md`.',
  }),
  live('server.subscribePagesOrigins', {
    env: 'SUBSCRIBE_PAGES_CORS_ORIGINS',
    gotrue: [],
    kind: list(origin),
    default: [],
    serverOnly: true,
    description: 'Origins whose scripts may ask the subscription pages.',
  }),
  live('api.maxBodyBytesInFlight', {
    env: 'API_MAX_BODY_BYTES_IN_FLIGHT',
    gotrue: [],
    kind: integer('bytes', { min: 1_048_576, max: 17_179_869_184 }),
    default: 33_554_432,
    description:
      'Bytes that all request bodies take together while they are received and served; beyond it a request is answered with 503.',
  }),
  live('outgoing.maxRequests', {
    env: 'INTERNAL_HTTP_MAX_REQUESTS',
    gotrue: [],
    kind: integer('requests', { min: 1, max: 1_024 }),
    default: 16,
    description:
      'Requests at a time that clients cause, to providers, to captcha services and to hooks each; others wait, or are answered with 503.',
  }),
  live('outgoing.timeoutSeconds', {
    env: 'INTERNAL_HTTP_TIMEOUT',
    kind: seconds({ min: 0.001 }),
    default: 10,
    description: 'How long an SMS carrier or an external provider may take to answer.',
  }),
  live('log.level', {
    env: 'LOG_LEVEL',
    bare: ['LOG_LEVEL'],
    kind: oneOf(['panic', 'fatal', 'error', 'warn', 'info', 'debug'], { warning: 'warn' }),
    default: 'info',
    serverOnly: true,
    description: 'Least severity that the server logs; `warning` means `warn`.',
  }),
  live('log.file', {
    env: 'LOG_FILE',
    kind: text,
    default: null,
    defaultText: 'standard error',
    serverOnly: true,
    description:
      'File that the log is appended to, created for its owner alone; no symbolic link is followed.',
  }),
]
