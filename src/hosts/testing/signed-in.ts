import { randomInt, randomUUID } from 'node:crypto'
import type { SessionTokens } from '../../accounts/sessions/session-tokens.ts'
import type { User } from '../../accounts/users/user.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { hotpOf } from '../../platform/kit/hotp.ts'
import type { Auth } from '../../service/create-auth.ts'

/** Who is to be signed in. */
export interface SignedInOptions {
  /** Default: one that nobody has. */
  email?: string | undefined
  /** Default: none. */
  phone?: string | undefined
  /** Default: one that the policy takes, which is told in {@link SignedIn}. */
  password?: string | undefined
  role?: string | undefined
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** Second factors that the user has proved before. Default: none, with `aal: 2` an app. */
  factors?: readonly TestFactorType[] | undefined
  /** How strongly the session is proved: 2 shows a factor. Default 1. */
  aal?: 1 | 2 | undefined
}

export type TestFactorType = 'totp' | 'phone'

/** A factor that somebody has. */
export interface TestFactor {
  id: string
  type: TestFactorType
  /** Of an app, in base32; null of a phone. */
  secret: string | null
  /** What the app shows now. Each code is good once: the next one comes 30 seconds later. Null of a phone. */
  code(): Promise<string> | null
}

/** Somebody with a session. */
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
  /** The code that was sent last to a number. */
  codeSentTo(phone: string): Promise<string>
}

/** Makes a user and signs them in, by the same calls as an application. */
export async function signIn(needs: Needs, options: SignedInOptions = {}): Promise<SignedIn> {
  const { aal = 1, factors: types = aal === 2 ? ['totp'] : [], ...given } = options
  if (aal === 2 && types.length === 0) throw new TypeError('aal 2 takes a factor')
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
  /** Where codes go, with `phone`. */
  phone: string | undefined
  accessToken: string
}

/** Enrolls a factor and proves it, which is what lifts the session. */
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

/** Numbers that are nobody's, each another one. @see Ofcom, "Numbers for drama use" */
function newPhones(): () => string {
  let next = randomInt(1000)
  return () => `+447700900${String(next++ % 1000).padStart(3, '0')}`
}
