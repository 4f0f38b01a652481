import { createAuthenticator } from '../authenticator.ts'
import { givenPasskey } from '../passkeys.ts'
import { claimsIn, secondFactors } from '../second-factors.ts'
import { securityKeysOf } from '../security-keys.ts'
import type { TestAuth } from '../test-auth.ts'
import { givenTrustedDevice } from '../trusted-devices.ts'
import type { Ids } from './entry-points.ts'

/** The verified factors, in the token and in the database, and how to establish them. */
export interface Assurance {
  /** True if the user has a verified factor. */
  hasFactor: boolean
  /** The level in the row of the session; null where the token contains no session. */
  session: 'aal1' | 'aal2' | null
  token: 'aal1' | 'aal2'
  /** True if both levels are established by a trusted device only. */
  isByDevice?: boolean
  tokenOf(person: Person): Promise<string>
}

/** Every level of assurance. */
export const proofs = {
  'the password, which is all that they have': {
    hasFactor: false,
    session: 'aal1',
    token: 'aal1',
    tokenOf: (person) => person.signIn(),
  },
  'the password alone, though they have a factor': {
    hasFactor: true,
    session: 'aal1',
    token: 'aal1',
    tokenOf: async (person) => {
      await person.showNewFactor(await person.signIn())
      return person.signIn()
    },
  },
  'the factor': {
    hasFactor: true,
    session: 'aal2',
    token: 'aal2',
    tokenOf: async (person) => (await person.showNewFactor(await person.signIn())).token,
  },
  'a security key': {
    hasFactor: true,
    session: 'aal2',
    token: 'aal2',
    tokenOf: (person) => person.showKey(),
  },
  'a recovery code in place of the factor': {
    hasFactor: true,
    session: 'aal2',
    token: 'aal2',
    tokenOf: (person) => person.showRecoveryCode(),
  },
  'a trusted device in place of the factor': {
    hasFactor: true,
    session: 'aal2',
    token: 'aal2',
    isByDevice: true,
    tokenOf: (person) => person.showDevice(),
  },
  'the factor, but after this token was issued': {
    hasFactor: true,
    session: 'aal2',
    token: 'aal1',
    tokenOf: async (person) => {
      const token = await person.signIn()
      await person.showNewFactor(token)
      return token
    },
  },
  'a factor that was removed since, while another is left': {
    hasFactor: true,
    session: 'aal1',
    token: 'aal2',
    tokenOf: async (person) => {
      const left = await person.showNewFactor(await person.signIn())
      const removed = await person.showNewFactor(left.token)
      await person.loseFactor(removed.factorId)
      return removed.token
    },
  },
  'their only factor, which was removed since': {
    hasFactor: false,
    session: 'aal1',
    token: 'aal2',
    tokenOf: async (person) => {
      const { token, factorId } = await person.showNewFactor(await person.signIn())
      await person.loseFactor(factorId)
      return token
    },
  },
  'no more than a token without a session': {
    hasFactor: false,
    session: null,
    token: 'aal1',
    tokenOf: (person) => person.tokenByHand('aal1'),
  },
  'no more than a token without a session, which claims their factor': {
    hasFactor: true,
    session: null,
    token: 'aal2',
    tokenOf: async (person) => {
      await person.showNewFactor(await person.signIn())
      return person.tokenByHand('aal2')
    },
  },
} satisfies Record<string, Assurance>

/** The changes of user and session since the token was issued. */
const fates = [
  ...(['as before', 'signed out', 'revoked', 'past its end'] as const),
  ...(['banned', 'softly deleted', 'deleted'] as const),
]
export type Fate = (typeof fates)[number]

const roles = ['user', 'operator'] as const
type Role = (typeof roles)[number]

/** A caller with a valid token of a user: all properties that a decision may depend on. */
export interface CallerCase {
  proof: keyof typeof proofs
  fate: Fate
  /** The role at the token's issue, which it contains. */
  roleThen: Role
  roleNow: Role
}

const levels = Object.keys(proofs) as CallerCase['proof'][]

/**
 * Every level of assurance, and every change of a fully verified user, in every former and present
 * role.
 */
export const callers: CallerCase[] = [
  ...levels.map((proof) => ({ proof, fate: 'as before' as Fate })),
  ...fates.slice(1).map((fate) => ({ proof: 'the factor' as const, fate })),
].flatMap((who) =>
  roles.flatMap((roleThen) => roles.map((roleNow) => ({ ...who, roleThen, roleNow }))),
)

const nouns = {
  user: { user: 'a user', operator: 'a promoted user' },
  operator: { user: 'a demoted operator', operator: 'an operator' },
}

export const describeCaller = ({ proof, fate, roleThen, roleNow }: CallerCase): string => {
  const shown = `${nouns[roleThen][roleNow]} who has shown ${proof}`
  return fate === 'as before' ? shown : `${shown}, ${fate}`
}

const roleNames = { user: 'authenticated', operator: 'service_role' }

/** The actions of a user, and of others on the user, before a call. */
interface Person {
  /** Returns the token of a new session. */
  signIn(): Promise<string>
  showNewFactor(token: string): Promise<{ factorId: string; token: string }>
  loseFactor(factorId: string): Promise<void>
  tokenByHand(aal: string): Promise<string>
  /** Verifies another factor than the app, in a new session. */
  showKey(): Promise<string>
  showRecoveryCode(): Promise<string>
  showDevice(): Promise<string>
}

function person(auth: TestAuth, email: string, userId: string, role: string): Person {
  const factors = secondFactors(auth)
  const keys = securityKeysOf(auth)
  let apps = 0
  const signIn = async () => (await factors.signIn(email)).accessToken
  const showNewFactor: Person['showNewFactor'] = async (token) => {
    const app = await factors.enrolledApp(token, `app ${++apps}`)
    const { body } = await factors.prove(token, app)
    return { factorId: app.id, token: body.access_token }
  }
  const strong = async () => (await showNewFactor(await signIn())).token
  return {
    signIn,
    showNewFactor,
    showKey: async () => {
      const token = await strong()
      const factorId = await keys.enroll(token)
      const authenticator = createAuthenticator()
      await keys.register(token, factorId, authenticator)
      return (await keys.prove(await signIn(), factorId, authenticator)).body.access_token
    },
    showRecoveryCode: async () => {
      const { codes } = (await factors.generateCodes(await strong())).body
      return (await factors.useCode(await signIn(), codes[0])).body.access_token
    },
    showDevice: async () => {
      const { secret } = (await auth.post('/trusted-devices', {}, { token: await strong() })).body
      const options = { token: await signIn() }
      return (await auth.post('/trusted-devices/verify', { secret }, options)).body.access_token
    },
    loseFactor: (factorId) => auth.auth.admin.deleteFactor(userId, factorId),
    tokenByHand: async (aal) =>
      (await auth.deps()).keys.sign({ sub: userId, aud: 'authenticated', role, aal }),
  }
}

/** A caller with a token, and the ids of its own resources. */
export interface PresentCaller {
  token: string
  ids: Ids
}

let made = 0

/** Creates a caller. */
export async function prepareCaller(auth: TestAuth, caller: CallerCase): Promise<PresentCaller> {
  const { admin } = auth.auth
  const email = `caller-${++made}@example.test`
  const { id } = await auth.given.user(email)
  const role = roleNames[caller.roleThen]
  await admin.updateUser(id, { role })
  const who = person(auth, email, id, role)
  const token = await proofs[caller.proof].tokenOf(who)
  const ids = await idsOf(auth, id, await who.signIn())
  await admin.updateUser(id, { role: roleNames[caller.roleNow] })
  await befall(auth, id, caller.fate)
  return { token, ids }
}

/**
 * Returns the ids of a second identity, a passkey and a trusted device of a user; of the verified
 * factor, else of an unverified one, with a challenge; and of another session than the caller's.
 */
export async function idsOf(auth: TestAuth, userId: string, otherToken: string): Promise<Ids> {
  const verified = (await auth.auth.admin.listFactors(userId)).find(
    ({ status, factorType }) => status === 'verified' && factorType === 'totp',
  )
  const factors = secondFactors(auth)
  const [identity] = await auth.rows<{ id: string }>(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      values (gen_random_uuid(), $1, 'keycloak', gen_random_uuid(), '{}', now(), now()) returning id`,
    [userId],
  )
  const factor = verified ?? (await factors.enrolledApp(otherToken, 'begun'))
  return {
    user_id: userId,
    factor_id: factor.id,
    passkey_id: await givenPasskey(auth, userId),
    device_id: await givenTrustedDevice(auth, userId),
    authorization_id: 'none',
    client_id: '7f3a3f0c-0000-4000-8000-000000000000',
    identifier: 'custom:none',
    challenge_id: await factors.challenge(otherToken, factor.id),
    session_id: String(claimsIn(otherToken).session_id),
    identity_id: identity?.id ?? '',
  }
}

async function befall(auth: TestAuth, userId: string, fate: Fate): Promise<void> {
  const { admin } = auth.auth
  const setSessions = async (column: string) => {
    await auth.rows(`update auth.sessions set ${column} = $2 where user_id = $1`, [
      userId,
      auth.clock.now(),
    ])
  }
  const fateful: Record<Fate, () => Promise<unknown>> = {
    'as before': async () => {},
    'signed out': () => admin.signOut(userId),
    revoked: () => setSessions('revoked_at'),
    'past its end': () => setSessions('not_after'),
    banned: () => admin.banUser(userId),
    'softly deleted': () => admin.deleteUser(userId, { soft: true }),
    deleted: () => admin.deleteUser(userId),
  }
  await fateful[fate]()
}
