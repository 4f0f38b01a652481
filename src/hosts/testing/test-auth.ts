import type { AuthConfig } from '../../platform/config/auth-config.ts'
import type { OutgoingSms } from '../../platform/config/sections/sms.ts'
import { type Auth, createService } from '../../service/create-auth.ts'
import { openEmbedded } from './embedded-databases.ts'
import { type SignedIn, type SignedInOptions, signIn } from './signed-in.ts'
import { createTestClock, type TestClock } from './test-clock.ts'
import { emptyTables, holdTables, requireTestDatabase } from './test-database.ts'
import { withTestDefaults } from './test-defaults.ts'
import { readMail, type TestMail } from './test-messages.ts'

export type { OutgoingSms } from '../../platform/config/sections/sms.ts'
export type { SignedIn, SignedInOptions, TestFactor, TestFactorType } from './signed-in.ts'
export type { TestClock } from './test-clock.ts'
export type { TestMail } from './test-messages.ts'

/**
 * A service for the tests of an application: the real one, on a database that is empty, with time that the test turns,
 * and messages that it reads.
 */
export interface TestAuth {
  /** The service, as `createAuth` makes it. */
  auth: Auth
  clock: TestClock
  /** The mails that were sent, the oldest first. Waits for those on their way. */
  mails(): Promise<readonly TestMail[]>
  /** The text messages that were sent, the oldest first. Waits for those on their way. */
  textMessages(): Promise<readonly OutgoingSms[]>
  /**
   * Makes a user with a proved address and signs them in.
   *
   * @throws AuthError what the calls throw that it makes: `admin.createUser`, `api.signInWithPassword`, and with factors
   *   `api.enrollFactor`, `api.challengeFactor`, `api.verifyFactor`.
   * @example const { headers } = await test.signedIn({ aal: 2, role: 'editor' })
   */
  signedIn(options?: SignedInOptions): Promise<SignedIn>
  /** Deletes all users, with what is theirs, and messages; the clock shows real time again. For between two tests. */
  reset(): Promise<void>
  /** Ends the service. */
  close(): Promise<void>
}

/**
 * Starts a service for tests. Without a database it has an embedded one in memory, which takes some five seconds of
 * processor time at the first time in a process: give the hook that calls this a minute. Where an earlier one was closed just
 * before, it takes a few tenths of a second.
 *
 * What a test has no use for is off unless the configuration says otherwise: limits, pauses between messages, hashes that
 * take their time. Messages reach no carrier, whichever is configured; hooks that send them are called all the same.
 *
 * @param config that of the application. Its database is emptied, and has to have the word `test` in its name. Test files that run
 *   at the same time need a database each, or a schema.
 * @throws ConfigError as `createAuth`; TypeError for a database of another name; what `auth.ready` throws; Error where other
 *   tests use the same tables at the moment.
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
    { clock, watchesPeers: false, ...(url === undefined && { openDatabase: openEmbedded }) },
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
    if (!sent) throw new Error('no code was sent: a hook of the configuration has taken it')
    return sent.code
  }
  const { database: place } = (await running()).config
  // Past a pooler, which may hand a connection and its lock to others.
  const lockUrl = url === undefined ? null : (place.listenUrl ?? url)
  const letOthersIn = lockUrl === null ? null : await holdTables(lockUrl, place).catch(end)
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
      await letOthersIn?.()
    },
  }
}
