import type { Deps } from '../../src/accounts/auth-context.ts'
import { issueServiceToken } from '../../src/credentials/access-tokens/issue-access-token.ts'
import type { Auth, User } from '../../src/index.ts'
import type { AuthConfig } from '../../src/platform/config/config.ts'
import type { Logger } from '../../src/platform/observability/logger.ts'
import { createService } from '../../src/service/create-auth.ts'
import type { World } from '../../src/service/world.ts'
import { createTestDatabase } from './database.ts'
import { withDocumentedErrors } from './documented-errors.ts'
import { objectionTo } from './openapi/holds-for.ts'
import { pooledConfig } from './pooled-environment.ts'
import { pooledServer } from './pooled-server.ts'
import { runText } from './statements.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** The response to a request. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test states the expected members of a body
  body: any
}

export interface RequestOptions {
  body?: unknown
  token?: string | undefined
  headers?: Record<string, string>
  ip?: string
}

/** A log entry. */
export interface LogEntry {
  level: keyof Logger
  fields: Record<string, unknown>
  message: string
}

/** A Latchkey with its own database and a clock that tests advance, called without a network. */
export interface TestAuth {
  auth: Auth
  /** The URL of the database, for tests that read or break it from outside. */
  databaseUrl: string
  clock: TestClock
  log: LogEntry[]
  deps(): Promise<Deps>
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  /**
   * Returns rows of our tables: `rows('select * from sessions')`, with table names in the schema.
   */
  rows<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  given: {
    /** Creates a confirmed user with the password `correct horse`. */
    user(email?: string): Promise<User>
    /** Creates such a user and returns the tokens of a session. */
    session(email?: string): Promise<GivenSession>
    serviceToken(role?: string): Promise<string>
  }
  /**
   * Starts a second instance with the same configuration, database and clock. The world replaces
   * parts of that, such as the clock.
   */
  beside(
    changes?: AuthConfig,
    world?: Pick<World, 'clock'>,
  ): Promise<Pick<TestAuth, 'auth' | 'request' | 'close'>>
  close(): Promise<void>
}

export interface GivenSession {
  user: User
  accessToken: string
  refreshToken: string
}

export const testSecret = 'a secret for tests of more than 32 bytes'
export const testPassword = 'correct horse'

/** The lowest cost of hashes, for tests that are not about them. */
const cheapHashes = { argon2: { memoryKib: 64, iterations: 1, parallelism: 1 } }

/** Addresses require confirmation; the messages for it are not sent. */
export const withoutAutoconfirm: AuthConfig = {
  email: { autoconfirm: false, maxFrequencySeconds: 0 },
  sms: { autoconfirm: false, maxFrequencySeconds: 0 },
  hooks: { sendEmail: async () => {}, sendSms: async () => {} },
}

export async function startTestAuth(
  config: AuthConfig = {},
  world: Pick<World, 'fetch' | 'resolver' | 'databaseClock'> = {},
): Promise<TestAuth> {
  const database = await createTestDatabase()
  const databaseConfig = pooledConfig(pooledServer(), database.url)
  const clock = createTestClock()
  const log: LogEntry[] = []
  const start = (changes: AuthConfig = {}, others: Pick<World, 'clock'> = {}) => {
    const service = createService(
      {
        siteUrl: 'https://app.example.test',
        database: databaseConfig,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
        sms: { autoconfirm: true },
        phone: { enabled: true },
        // Tests send more requests than any user.
        rateLimits: {
          tokenRefresh: 'off',
          web3: 'off',
          passkey: 'off',
          otp: 'off',
          verify: 'off',
          challengeAndVerify: 'off',
          anonymousUsers: 'off',
          subscribePages: 'off',
          emailSent: 'off',
          smsSent: 'off',
        },
        logger: collectInto(log),
        ...config,
        ...changes,
        ...(typeof config.database === 'object' && {
          database: { ...databaseConfig, ...config.database },
        }),
        passwords: { ...cheapHashes, ...config.passwords },
      },
      { clock, ...world, ...others },
    )
    return { ...service, auth: withDocumentedErrors(service.auth) }
  }
  const { auth, runtime } = start()
  const request = requester(auth)
  const deps = async () => (await runtime()).deps
  let users = 0
  const user = (email = `user${++users}@example.test`) =>
    auth.admin.createUser({ email, password: testPassword, emailConfirm: true })

  return {
    auth,
    clock,
    log,
    deps,
    databaseUrl: database.url,
    ...requestMethods(request),
    rows: async (text, values = []) => runText((await deps()).database.sql, text, values),
    given: {
      user,
      session: async (email) => {
        const made = await user(email)
        const { session, user: signedIn } = await auth.api.signInWithPassword({
          email: made.email ?? '',
          password: testPassword,
        })
        return {
          user: signedIn,
          accessToken: session.accessToken,
          refreshToken: session.refreshToken,
        }
      },
      serviceToken: async (role = 'service_role') =>
        issueServiceToken((await deps()).keys, { role, lifetimeSeconds: 600, now: clock.now() }),
    },
    beside: async (changes, others) => {
      const other = start(changes, others).auth
      await other.ready()
      return { auth: other, request: requester(other), close: other.close }
    },
    close: async () => {
      await auth.close()
      await database.drop()
    },
  }
}

/** Returns functions that send requests through `request`. */
export const requestMethods = (
  request: TestAuth['request'],
): Pick<TestAuth, 'request' | 'get' | 'post' | 'put'> => ({
  request,
  get: (path, options) => request('GET', path, options),
  post: (path, body, options) => request('POST', path, { ...options, body }),
  put: (path, body, options) => request('PUT', path, { ...options, body }),
})

const requester =
  (auth: Auth): TestAuth['request'] =>
  async (method, path, options = {}) => {
    const { body, token, headers, ip } = options
    const answer = await auth.fetch(
      new Request(`http://auth.test${path}`, {
        method,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
      { ip: ip ?? '203.0.113.7' },
    )
    const text = await answer.text()
    const read = { status: answer.status, headers: answer.headers, text, body: parseJson(text) }
    requireDocumented(method, path, read)
    return read
  }

/** Requires every response of a test to conform to the OpenAPI document. */
function requireDocumented(method: string, path: string, { status, headers, body }: Answer): void {
  const exchange = { method, path: path.replace(/[?#].*/, ''), status, body }
  const objection = objectionTo({ ...exchange, contentType: headers.get('content-type') })
  if (objection) throw new Error(`the OpenAPI document does not hold: ${objection}`)
}

export function collectInto(log: LogEntry[]): Logger {
  const write = (level: keyof Logger) => (fields: object, message: string) =>
    void log.push({ level, fields: { ...fields }, message })
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
