import type { AuthConfig } from '../../platform/config/config.ts'
import type { OutgoingSms } from '../../platform/config/sections/sms.ts'
import { type Auth, createService } from '../../service/create-auth.ts'
import { readMail, type TestMail } from './open-mailbox.ts'
import { type SignedIn, type SignedInOptions, signIn } from './signed-in.ts'
import { createTestClock, type TestClock } from './test-clock.ts'
import { emptyTables, holdTables, openEmbedded, requireTestDatabase } from './test-database.ts'
import { withTestDefaults } from './test-defaults.ts'

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
 * called.
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
