import { afterAll, beforeAll, expect } from 'vitest'
import type { AuthConfig } from '../../src/index.ts'
import {
  type CallbackResult,
  clubMember,
  clubSettings,
  type FakeRealm,
  signInAtRealm,
  startFakeRealm,
  type TestBrowser,
} from './fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from './messages.ts'
import type { Answer } from './test-auth.ts'

/** A user at a club. */
interface Coming {
  emails: Parameters<typeof clubMember>[1]
  /** Default: `club`. */
  provider?: string
  /** Default: a new user. */
  subject?: string
  claims?: Record<string, unknown>
  /** Default: the service of {@link Clubs.auth}. */
  on?: MessagingAuth
  query?: Record<string, string>
  browser?: TestBrowser
}

/** A service with several providers, one for each rule, which all are the same realm. */
export interface Clubs {
  readonly realm: FakeRealm
  readonly auth: MessagingAuth
  /** Another service with the same providers. */
  start(config: AuthConfig): Promise<MessagingAuth>
  come(coming: Coming): Promise<CallbackResult>
  userOf(arrived: CallbackResult, on?: MessagingAuth): Promise<Answer['body']>
}

/** Starts them before the tests of a file, and closes them after. */
export function useClubs(): Clubs {
  let realm: FakeRealm
  let auth: MessagingAuth
  const running: MessagingAuth[] = []

  async function start(config: AuthConfig): Promise<MessagingAuth> {
    const started = await startMessagingAuth({
      providers: {
        club: clubSettings(realm),
        guild: clubSettings(realm),
        optional: clubSettings(realm, { emailOptional: true }),
        closed: clubSettings(realm, { signUpDisabled: true }),
        staff: clubSettings(realm),
        payroll: clubSettings(realm),
        partners: clubSettings(realm),
      },
      externalSignIn: {
        linkingDomains: { staff: 'company', payroll: 'company' },
        ownLinkingDomains: ['Partners'],
      },
      ...config,
    })
    running.push(started)
    return started
  }

  beforeAll(async () => {
    realm = await startFakeRealm()
    auth = await start({})
  })
  afterAll(async () => {
    await Promise.all(running.map(({ close }) => close()))
    await realm.close()
  })

  return {
    get realm() {
      return realm
    },
    get auth() {
      return auth
    },
    start,
    come: ({
      emails,
      provider = 'club',
      subject = newSubject(),
      claims,
      on = auth,
      query,
      browser,
    }) =>
      signInAtRealm(
        on,
        realm,
        clubMember(subject, emails, claims),
        { provider, ...query },
        browser,
      ),
    userOf: async ({ fragment, query }, on = auth) => {
      expect(query).toEqual({})
      return (await on.get('/user', { token: fragment['access_token'] })).body
    },
  }
}

let count = 0
export const newAddress = () => `ann-${++count}@example.test`
export const newSubject = () => `subject-${++count}`
export const proved = (address: string) => ({ address, isVerified: true })
export const unproved = (address: string) => ({ address, isVerified: false })

/** Returns error and code of a callback. */
export const rejection = ({ query }: CallbackResult) => [query['error'], query['error_code']]

export const needsVerification = ['access_denied', 'provider_email_needs_verification']
