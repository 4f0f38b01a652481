import { randomInt, randomUUID } from 'node:crypto'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import type { User } from '../../accounts/users/user.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { hotpOf } from '../../platform/kit/hotp.ts'
import type { Auth } from '../../service/api/auth.ts'

/** The user to sign in. */
export interface SignedInOptions {
  /** Default: an unused address. */
  email?: string | undefined
  /** Default: none. */
  phone?: string | undefined
  /** Default: one that conforms to the policy, returned in {@link SignedIn}. */
  password?: string | undefined
  role?: string | undefined
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** Second factors that the user has verified before. Default: none, with `aal: 2` an app. */
  factors?: readonly TestFactorType[] | undefined
  /** The AAL of the session: 2 verifies a factor. Default 1. */
  aal?: 1 | 2 | undefined
}

export type TestFactorType = 'totp' | 'phone'

/** A factor of a user. */
export interface TestFactor {
  id: string
  type: TestFactorType
  /** The secret of an app, in base32; null for a phone. */
  secret: string | null
  /**
   * Returns the app's present code. Each code can be used once: the next one is valid 30 seconds
   * later. Null for a phone.
   */
  code(): Promise<string> | null
}

/** A user with a session. */
export interface SignedIn {
  user: User
  password: string
  session: SessionTokens
  factors: TestFactor[]
  /** `{ authorization: 'Bearer …' }` */
  headers: { authorization: string }
}

const defaultPassword = 'correct horse battery staple'

interface Needs {
  auth: Pick<Auth, 'api' | 'admin'>
  clock: Clock
  /** Returns the code that was sent last to a number. */
  codeSentTo(phone: string): Promise<string>
}

/** Creates a user and signs them in, by the same calls as an application. */
export async function signIn(needs: Needs, options: SignedInOptions = {}): Promise<SignedIn> {
  const { aal = 1, factors: types = aal === 2 ? ['totp'] : [], ...given } = options
  if (aal === 2 && types.length === 0) throw new TypeError('aal 2 requires a factor')
  const { api, admin } = needs.auth
  const email = given.email ?? `${randomUUID()}@example.test`
  const password = given.password ?? defaultPassword
  await admin.createUser({ ...given, email, password, emailConfirm: true, phoneConfirm: true })
  const signInAgain = () => api.signInWithPassword({ email, password })
  let signedIn: { user: User; session: SessionTokens } = await signInAgain()
  const factors: TestFactor[] = []
  const phones = newPhones()
  for (const type of types) {
    const phone = type === 'phone' ? phones() : undefined
    const { accessToken } = signedIn.session
    const { proved, factor } = await addFactor(needs, { type, phone, accessToken })
    factors.push(factor)
    signedIn = proved
  }
  if (aal === 1 && types.length > 0) signedIn = await signInAgain()
  const { user, session } = signedIn
  const headers = { authorization: `Bearer ${session.accessToken}` }
  return { user, password, session, factors, headers }
}

interface FactorToAdd {
  type: TestFactorType
  /** The recipient of codes, for `phone`. */
  phone: string | undefined
  accessToken: string
}

/** Enrolls a factor and verifies it, which raises the AAL of the session. */
async function addFactor(needs: Needs, { type, phone, accessToken }: FactorToAdd) {
  const { api } = needs.auth
  const { id: factorId, totp } = await api.enrollFactor({
    accessToken,
    factorType: type,
    friendlyName: randomUUID(),
    phone,
  })
  const { id: challengeId } = await api.challengeFactor({ accessToken, factorId })
  const secret = totp?.secret ?? null
  const shown = () => (secret === null ? null : codeOfApp(secret, needs.clock.now()))
  const code = (await shown()) ?? (await needs.codeSentTo(phone ?? ''))
  const proved = await api.verifyFactor({ accessToken, factorId, challengeId, code })
  return { proved, factor: { id: factorId, type, secret, code: shown } }
}

/** @see RFC 6238 §4 */
const codeOfApp = (secret: string, now: Date): Promise<string> =>
  hotpOf(secret, 6)(Math.floor(now.getTime() / 30_000))

/** Returns unassigned numbers, each different. @see Ofcom, "Numbers for drama use" */
function newPhones(): () => string {
  let next = randomInt(1000)
  return () => `+447700900${String(next++ % 1000).padStart(3, '0')}`
}
