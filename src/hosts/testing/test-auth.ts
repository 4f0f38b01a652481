import type { AuthConfig } from '../../platform/config/config.ts'
import type { SendMail } from '../../platform/config/sections/email.ts'
import type { OutgoingSms, SendSms } from '../../platform/config/sections/sms.ts'
import type { Auth } from '../../service/api/auth.ts'
import { createService } from '../../service/create-auth.ts'
import { readMail, type TestMail } from './open-mailbox.ts'
import { type SignedIn, type SignedInOptions, signIn } from './signed-in.ts'
import { createTestClock, type TestClock } from './test-clock.ts'
import { emptyTables, holdTables, openEmbedded, requireTestDatabase } from './test-database.ts'

export type { OutgoingSms } from '../../platform/config/sections/sms.ts'
export type { TestMail } from './open-mailbox.ts'
export { type AwaitedMail, type Mailbox, type MailboxMail, openMailbox } from './open-mailbox.ts'
export type { SignedIn, SignedInOptions, TestFactor, TestFactorType } from './signed-in.ts'
export type { TestClock } from './test-clock.ts'

/**
 * A service for the tests of an application: the real one, on an empty database, with a controlled
 * clock and readable messages.
 */
export interface TestAuth {
  /** The service, as `createAuth` returns it. */
  auth: Auth
  clock: TestClock
  /** Returns the mails that were sent, the oldest first. Waits for those in delivery. */
  mails(): Promise<readonly TestMail[]>
  /** Returns the text messages that were sent, the oldest first. Waits for those in delivery. */
  textMessages(): Promise<readonly OutgoingSms[]>
  /**
   * Creates a user with a confirmed address and signs them in.
   *
   * @throws AuthError of its calls: `admin.createUser`, `api.signInWithPassword`, and with factors
   *   `api.enrollFactor`, `api.challengeFactor`, `api.verifyFactor`.
   * @example const { headers } = await test.signedIn({ aal: 2, role: 'editor' })
   */
  signedIn(options?: SignedInOptions): Promise<SignedIn>
  /**
   * Deletes all users, with their data, and messages; resets the clock to real time. For use
   * between two tests.
   */
  reset(): Promise<void>
  /** Ends the service. */
  close(): Promise<void>
}

/**
 * Starts a service for tests. Without a database it uses an embedded one in memory, which takes
 * some five seconds of processor time at its first use in a process: set a timeout of a minute for
 * the hook that calls this. If an earlier one was closed just before, it takes a few tenths of a
 * second.
 *
 * Features that slow tests down are off by default: limits, pauses between messages, expensive
 * hashes. Messages reach no carrier, whichever is configured; hooks that send them are still
 * called, and no event is sent to a URL. There are no warnings about settings: the application gets
 * them when it starts.
 *
 * @param config that of the application. Its database is emptied, and must have the word `test` in
 *   its name. Test files that run concurrently need a database each, or a schema.
 * @throws ConfigError as `createAuth`; TypeError for a database of another name; the errors of
 *   `auth.ready`; Error if other tests use the same tables now.
 * @example
 * const test = await createTestAuth(authConfig)
 * const app = createApp(test.auth)
 */
export async function createTestAuth(config: AuthConfig = {}): Promise<TestAuth> {
  const clock = createTestClock()
  const mails: TestMail[] = []
  const textMessages: OutgoingSms[] = []
  const url = typeof config.database === 'object' ? config.database.url : config.database
  if (url !== undefined) requireTestDatabase(url)
  const service = createService(
    withTestDefaults(config, {
      mail: (mail) => void mails.push(readMail(mail)),
      sms: (sms) => void textMessages.push(sms),
    }),
    {
      clock,
      watchesPeers: false,
      warnsAboutSettings: false,
      ...(url === undefined && { openDatabase: openEmbedded }),
    },
  )
  const { auth } = service
  const running = async () => (await service.runtime()).deps
  const settled = async () => (await running()).outbox.settled()
  const reset = async () => {
    await settled()
    const { database } = await running()
    await emptyTables(database)
    mails.length = 0
    textMessages.length = 0
    clock.reset()
  }
  const end = async (error: unknown): Promise<never> => {
    await auth.close()
    throw error
  }
  const readTextMessages = async () => {
    await settled()
    return [...textMessages]
  }
  const codeSentTo = async (phone: string) => {
    const sent = (await readTextMessages()).findLast(({ to }) => to === phone)
    if (!sent) throw new Error('no code was sent: a hook of the configuration received it')
    return sent.code
  }
  const { database: place } = (await running()).config
  // Without a pooler, which may pass a connection and its lock to others.
  const lockUrl = url === undefined ? null : (place.listenUrl ?? url)
  const releaseLock = lockUrl === null ? null : await holdTables(lockUrl, place).catch(end)
  await reset()
  return {
    auth,
    clock,
    mails: async () => {
      await settled()
      return [...mails]
    },
    textMessages: readTextMessages,
    signedIn: (options) => signIn({ auth, clock, codeSentTo }, options),
    reset,
    close: async () => {
      await auth.close()
      await releaseLock?.()
    },
  }
}

/** Functions that receive messages in place of a mail server and a carrier. */
interface Carriers {
  mail: SendMail
  sms: SendSms
}

/** Returns the configuration with defaults for tests. */
function withTestDefaults(config: AuthConfig, carriers: Carriers): AuthConfig {
  const { smtp: _smtp, ...email } = config.email ?? {}
  const { provider: _provider, ...sms } = config.sms ?? {}
  return {
    siteUrl: 'http://localhost:3000',
    ...given(config),
    database: withUrl(config.database),
    jwt: { secret: 'a secret that signs the tokens of tests', ...given(config.jwt) },
    email: {
      from: 'tests@example.test',
      maxFrequencySeconds: 0,
      ...given(email),
      send: carriers.mail,
    },
    phone: { enabled: true, ...given(config.phone) },
    sms: { maxFrequencySeconds: 0, ...given(sms), send: carriers.sms },
    passwords: {
      argon2: { memoryKib: 64, iterations: 1, parallelism: 1 },
      ...given(config.passwords),
    },
    rateLimits: { ...withoutLimits, ...given(config.rateLimits) },
    ...(config.hooks && { hooks: withoutEventReceiver(config.hooks) }),
  }
}

/** Tests have no receiver at the URL of an events hook, and would wait for attempts to call it. */
function withoutEventReceiver({ events, ...hooks }: NonNullable<AuthConfig['hooks']>) {
  const isOverHttp = typeof events === 'object' && /^\s*https?:/i.test(String(events.uri))
  return isOverHttp ? hooks : { events, ...hooks }
}

/**
 * Removes undefined members. An application sets `process.env.JWT_SECRET`, for example, which tests
 * do not define.
 */
const given = <T extends object>(section: T | undefined): Partial<T> =>
  Object.fromEntries(
    Object.entries(section ?? {}).filter(([, value]) => value !== undefined),
  ) as Partial<T>

/** Without a URL it names the embedded database, which is opened in its place. */
function withUrl(database: AuthConfig['database']): AuthConfig['database'] {
  const url = 'postgres://embedded/test'
  return typeof database === 'object' ? { url, ...given(database) } : (database ?? url)
}

/** Tests send more requests than people. */
const withoutLimits: AuthConfig['rateLimits'] = {
  header: 'off',
  emailSent: 'off',
  smsSent: 'off',
  verify: 'off',
  tokenRefresh: 'off',
  otp: 'off',
  challengeAndVerify: 'off',
  anonymousUsers: 'off',
  passkey: 'off',
  web3: 'off',
}
