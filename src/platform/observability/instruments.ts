/**
 * The counters. Names of OpenTelemetry's semantic conventions have their meaning; all others are
 * Latchkey's own.
 */
export const counters = {
  'auth.acts': 'Security-relevant actions that took place, by the action of their audit entry.',
  'auth.sign_ins': 'Sign-ins by method, and their result: `ok` or the code of the error.',
  'auth.refreshes': 'Refresh tokens presented, and their result: `ok` or the code of the error.',
  'auth.refresh_token_reuses': 'Sessions revoked because an older refresh token was used again.',
  'auth.refusals': 'Requests and calls rejected, by operation and the code of the error.',
  'auth.messages': 'Attempts to pass a mail or SMS to a carrier, and their result.',
  'auth.proofs': 'Codes and links presented, and their result: `ok` or the code of the error.',
  'auth.limits.fallbacks':
    'Requests counted in the database because Redis, which counts them otherwise, was unavailable.',
  'auth.replica.skips':
    'Statements sent to the primary because the replica, which is read otherwise, was unreachable or behind.',
} as const

/** Durations in seconds. */
export const durations = {
  'http.server.request.duration': 'Duration of HTTP server requests.',
  'http.client.request.duration': 'Duration of HTTP client requests.',
  'db.client.operation.duration': 'Duration of database client operations.',
  'auth.hashing.duration': 'Time to hash or check a password, including the wait before.',
  'auth.hook.duration': 'Time that hooks took to respond.',
} as const

/** Values that are read when metrics are collected. */
export const gauges = {
  'auth.running': { unit: '{instance}', description: 'Always 1 while the service runs.' },
  'auth.outbox.messages': {
    unit: '{message}',
    description: 'Messages that wait for a carrier, in the whole database.',
  },
  'auth.outbox.oldest_age': {
    unit: 's',
    description: 'Age of the oldest waiting message, in the whole database.',
  },
  'db.client.connection.count': {
    unit: '{connection}',
    description: 'Connections to the database that this process has, by whether they are in use.',
  },
  'db.client.connection.pending_requests': {
    unit: '{request}',
    description: 'Statements and transactions that wait for a connection, in this process.',
  },
  'auth.hashing.waiting': {
    unit: '{computation}',
    description: 'Hashes that wait for a thread, in this process.',
  },
  'auth.hashing.running': {
    unit: '{computation}',
    description: 'Hashes that are being computed, in this process.',
  },
} as const

export type CounterName = keyof typeof counters
export type DurationName = keyof typeof durations
export type GaugeName = keyof typeof gauges

/**
 * The boundaries that OpenTelemetry's conventions recommend for requests; statements need finer
 * ones for short durations.
 */
export const boundaries: Record<DurationName, number[]> = {
  'http.server.request.duration': [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ],
  'http.client.request.duration': [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ],
  'db.client.operation.duration': [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  'auth.hashing.duration': [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  'auth.hook.duration': [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
}
