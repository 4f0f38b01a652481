import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EndingCause, endingOf } from '../src/accounts/lifecycle/endings.ts'
import { givenPasskey } from './support/passkeys.ts'
import { secondFactors } from './support/second-factors.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// Acts × parts of an account: `accounts/lifecycle/endings.ts` lists the parts that end, and no
// others do.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({
    oauthServer: { enabled: true, allowDynamicRegistration: true, authorizationPath: '/consent' },
    passkeys: { enabled: true },
    security: { manualLinkingEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
  })
})
afterAll(() => auth?.close())

/**
 * An account with every part: two sessions, a device, a factor, a passkey, tokens, a code and
 * changes that wait.
 */
async function fullAccount() {
  const { user, accessToken } = await secondFactors(auth).strongSession()
  await secondFactors(auth).signIn(user.email)
  await givenPasskey(auth, user.id)
  const now = auth.clock.now().toISOString()
  const later = new Date(auth.clock.now().getTime() + 3_600_000).toISOString()
  const tokens = `insert into auth.one_time_tokens
      (id, user_id, purpose, requested_by, sent_to, token_hash, code_hash, expires_at, created_at)
    select gen_random_uuid(), $1, purpose, 'recover', 'x', repeat('a', 64), repeat('b', 64), $3, $2
    from unnest(array['recovery', 'email_change_new', 'phone_change']) purpose`
  await auth.rows(tokens, [user.id, now, later])
  await auth.rows(
    `insert into auth.trusted_devices (id, user_id, secret_hash, created_at, last_used_at, expires_at)
      select gen_random_uuid(), $1, repeat('a', 64), $2, $2, $3`,
    [user.id, now, later],
  )
  await auth.rows(
    `insert into auth.web_authn_challenges (id, purpose, user_id, challenge_hash, expires_at, created_at)
      values (gen_random_uuid(), 'registration', $1, repeat('c', 64), $2, $2)`,
    [user.id, later],
  )
  await auth.rows(
    `insert into auth.authorization_codes values
      (gen_random_uuid(), $1, $4, 'x', 's256', 'otp', null, null, $3, $2)`,
    [user.id, now, later, user.id.replaceAll('-', '').repeat(2)],
  )
  await auth.rows(
    `update auth.users set new_email = 'next-' || id || '@example.test', new_phone = '49' || left(
      translate(id::text, '-abcdef', ''), 9) where id = $1`,
    [user.id],
  )
  const [identity] = await auth.rows<{ id: string }>(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      values (gen_random_uuid(), $1, 'github', gen_random_uuid(), '{}', $2, $2) returning id`,
    [user.id, now],
  )
  return { userId: user.id, token: accessToken, identityId: identity?.id ?? '' }
}

type Account = Awaited<ReturnType<typeof fullAccount>>

/** The parts that are left. Of the sessions, the one of the request is `own`. */
async function partsOf(userId: string, ownId: string | null) {
  const count = `(select count(*)::int from auth.%s t where t.user_id = u.id)`
  const counted = (table: string) => `${count.replace('%s', table)} as ${table}`
  const [row] = await auth.rows<Record<string, unknown>>(
    `select ${['trusted_devices', 'factors', 'passkeys', 'web_authn_challenges', 'authorization_codes'].map(counted).join()},
      (select coalesce(array_agg(case when s.id = $2 then 'own' else 'other' end order by s.id = $2), '{}')
        from auth.sessions s where s.user_id = u.id) as sessions,
      (select coalesce(array_agg(t.purpose order by t.purpose), '{}') from auth.one_time_tokens t
        where t.user_id = u.id) as tokens,
      array_remove(array[case when u.new_email is not null then 'email' end,
        case when u.new_phone is not null then 'phone' end], null) as waiting_changes
    from auth.users u where u.id = $1`,
    [userId, ownId],
  )
  return row
}

const purposes = ['email_change_new', 'phone_change', 'recovery'] as const

/** The parts that the table leaves. */
function partsAfter(causes: readonly EndingCause[], hasSession: boolean) {
  const { sessions, grants, factors, passkeys, webAuthnChallenges, tokens, codes, ...rest } =
    endingOf(causes)
  const kept = (part: unknown) => (part === undefined ? 1 : 0)
  const left = { all: [], others: hasSession ? ['own'] : [], own: ['other'] }
  return {
    sessions: sessions ? left[sessions] : ['other', 'own'],
    trusted_devices: kept(grants),
    factors: kept(factors),
    passkeys: kept(passkeys),
    web_authn_challenges: kept(webAuthnChallenges),
    tokens: purposes.filter((one) => tokens !== 'all' && !tokens?.some((ended) => ended === one)),
    authorization_codes: kept(codes),
    waiting_changes: rest.pendingChanges ? [] : waitingAfter(causes),
  }
}

/** The changes that still wait: a change that is replaced does not. */
const waitingAfter = (causes: readonly EndingCause[]) => [
  ...(causes.includes('newEmailReplaced') ? [] : ['email']),
  ...(causes.includes('newPhoneReplaced') ? [] : ['phone']),
]

interface Ending {
  causes: readonly EndingCause[]
  /** Whether the request has a session of the user. */
  hasSession: boolean
  act(account: Account): Promise<unknown>
}

const password = 'a brand new password'

const acts: Record<string, Ending> = {
  'a new password': {
    causes: ['passwordChanged', 'passwordReplaced'],
    hasSession: true,
    act: ({ token }) => auth.put('/user', { password }, { token }),
  },
  'a password of an operator': {
    causes: ['passwordChanged', 'passwordReplaced'],
    hasSession: false,
    act: ({ userId }) => auth.auth.admin.updateUser(userId, { password }),
  },
  'an email of an operator': {
    causes: ['addressChanged', 'newEmailReplaced', 'newPhoneReplaced'],
    hasSession: false,
    act: ({ userId }) =>
      auth.auth.admin.updateUser(userId, {
        email: `op-${userId}@example.test`,
        emailConfirm: true,
      }),
  },
  'an identity that is unlinked': {
    causes: ['identityUnlinked'],
    hasSession: true,
    act: ({ token, identityId }) =>
      auth.request('DELETE', `/user/identities/${identityId}`, { token }),
  },
  'a ban': {
    causes: ['userBanned'],
    hasSession: false,
    act: ({ userId }) => auth.auth.admin.banUser(userId),
  },
  'the end of all sessions by an operator': {
    causes: ['sessionsRevoked'],
    hasSession: false,
    act: ({ userId }) => auth.auth.admin.signOut(userId),
  },
  'a sign-out': {
    causes: ['signedOut'],
    hasSession: true,
    act: ({ token }) => auth.post('/logout?scope=local', {}, { token }),
  },
  'a sign-out elsewhere': {
    causes: ['signedOutElsewhere'],
    hasSession: true,
    act: ({ token }) => auth.post('/logout?scope=others', {}, { token }),
  },
  'a sign-out everywhere': {
    causes: ['signedOutEverywhere'],
    hasSession: true,
    act: ({ token }) => auth.post('/logout?scope=global', {}, { token }),
  },
  'a change of metadata': {
    causes: [],
    hasSession: true,
    act: ({ token }) => auth.put('/user', { data: { name: 'Ada' } }, { token }),
  },
}

describe('what ends with', () => {
  it.each(Object.entries(acts))('%s', async (_name, { causes, hasSession, act }) => {
    const account = await fullAccount()
    const { session_id: ownId } = await auth.auth.verifyToken(account.token)
    expect(await partsOf(account.userId, ownId ?? null)).toEqual(partsAfter([], true))

    await act(account)

    expect(await partsOf(account.userId, ownId ?? null)).toEqual(partsAfter(causes, hasSession))
  })
})

describe('several causes', () => {
  it('end the most of each part', () => {
    expect(endingOf(['userBanned', 'addressProved'])).toMatchObject({ tokens: 'all', codes: 'all' })
    expect(endingOf(['newEmailReplaced', 'newPhoneReplaced']).tokens).toEqual([
      'email_change_new',
      'email_change_current',
      'phone_change',
    ])
    expect(endingOf(['sessionsRevoked', 'passwordChanged']).sessions).toBe('all')
    expect(endingOf(['passwordChanged', 'sessionsRevoked']).sessions).toBe('all')
    expect(endingOf(['reclaimed', 'firstAddressProved']).passkeys).toBe('all')
  })
})
