import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Ending,
  type EndingCause,
  endingOf,
  endings,
} from '../src/accounts/lifecycle/endings.ts'
import { factorSubstitutes } from '../src/platform/capability-terms.ts'
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
 * An account with every part: the session of the request, a weaker one and one that a device raised,
 * a device, a factor with recovery codes, a passkey, tokens, a code and changes that wait.
 */
async function fullAccount() {
  const { user, accessToken, app, codes } = await factors().recoverableSession()
  await factors().signIn(user.email)
  await givenPasskey(auth, user.id)
  const now = auth.clock.now().toISOString()
  const later = new Date(auth.clock.now().getTime() + 3_600_000).toISOString()
  const tokens = `insert into auth.one_time_tokens
      (id, user_id, purpose, requested_by, sent_to, token_hash, code_hash, expires_at, created_at)
    select gen_random_uuid(), $1, purpose, 'recover', 'x', repeat('a', 43), repeat('b', 43), $3, $2
    from unnest(array['recovery', 'email_change_new', 'phone_change']) purpose`
  await auth.rows(tokens, [user.id, now, later])
  await auth.rows(
    `insert into auth.trusted_devices (id, user_id, secret_hash, created_at, last_used_at, expires_at)
      select gen_random_uuid(), $1, repeat('a', 64), $2, $2, $3`,
    [user.id, now, later],
  )
  await auth.rows(
    `with client as (
      insert into auth.oauth_clients (id, client_type, registration_type, auth_method, redirect_uris,
        grant_types, post_logout_redirect_uris, backchannel_logout_session_required, created_at, updated_at)
      values (gen_random_uuid()::text, 'public', 'dynamic', 'none', '[]', '[]', '[]', false, $2, $2)
      returning id
    ), consent as (
      insert into auth.oauth_consents (id, user_id, client_id, scopes, resources, granted_at)
      select gen_random_uuid(), $1, id, '[]', '[]', $2 from client
    )
    insert into auth.oauth_authorizations (id, client_id, user_id, status, request, created_at, expires_at)
    select left(replace(gen_random_uuid()::text, '-', ''), 32), id, $1, 'approved', '{}', $2, $3 from client`,
    [user.id, now, later],
  )
  await auth.rows(
    `insert into auth.sessions (id, user_id, aal, amr, user_agent, refresh_token_counter, created_at)
      values (gen_random_uuid(), $1, 'aal2', $3, 'substituted', 0, $2)`,
    [user.id, now, JSON.stringify([{ method: factorSubstitutes[0], timestamp: 0 }])],
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
      translate(id::text, '-abcdef', ''), 9), email_change_sent_at = $2, phone_change_sent_at = $2,
      change_proved_at = $2 where id = $1`,
    [user.id, now],
  )
  const [identity] = await auth.rows<{ id: string }>(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      values (gen_random_uuid(), $1, 'github', gen_random_uuid(), '{}', $2, $2) returning id`,
    [user.id, now],
  )
  return { userId: user.id, token: accessToken, identityId: identity?.id ?? '', app, codes }
}

const factors = () => secondFactors(auth)

type Account = Awaited<ReturnType<typeof fullAccount>>

/** The parts that are left. Of the sessions, the one of the request is `own`. */
async function partsOf(userId: string, ownId: string | null) {
  const count = `(select count(*)::int from auth.%s t where t.user_id = u.id)`
  const counted = (table: string) => `${count.replace('%s', table)} as ${table}`
  const [row] = await auth.rows<Record<string, unknown>>(
    `select ${['trusted_devices', 'oauth_consents', 'oauth_authorizations', 'passkeys', 'web_authn_challenges', 'authorization_codes'].map(counted).join()},
      (select coalesce(array_agg(l.label order by l.label), '{}') from auth.sessions s
        cross join lateral (select case when s.id = $2 then 'own'
          when s.user_agent = 'substituted' then 'substituted' else 'weaker' end as label) l
        where s.user_id = u.id) as sessions,
      (select coalesce(array_agg(f.factor_type order by f.factor_type), '{}') from auth.factors f
        where f.user_id = u.id) as factors,
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
  const { grants, consents, factors, passkeys, webAuthnChallenges, tokens, codes, pendingChanges } =
    endingOf(causes)
  const kept = (part: unknown) => (part === undefined ? 1 : 0)
  return {
    sessions: sessionsAfter(causes, hasSession),
    trusted_devices: kept(grants),
    oauth_authorizations: kept(grants),
    oauth_consents: kept(consents),
    factors: factors ? [] : factorsAfter(causes),
    passkeys: kept(passkeys),
    web_authn_challenges: kept(webAuthnChallenges),
    tokens: purposes.filter(
      (one) =>
        tokens !== 'all' &&
        !tokens?.some((ended) => ended === one) &&
        !(pendingChanges !== undefined && pendingChanges !== 'all' && one !== 'recovery'),
    ),
    authorization_codes: kept(codes),
    waiting_changes: pendingChanges === 'all' ? [] : waitingAfter(causes),
  }
}

/** The factors, where the account has not lost them all. */
function factorsAfter(causes: readonly EndingCause[]): string[] {
  if (causes.includes('firstFactorVerified')) return ['totp']
  return ['recovery_code', 'totp', ...(causes.includes('factorVerified') ? ['totp'] : [])]
}

/** The sessions that each cause leaves, of those that the others leave. */
function sessionsAfter(causes: readonly EndingCause[], hasSession: boolean): string[] {
  const ended = causes.flatMap((cause): readonly string[] => {
    const { sessions }: Ending = endings[cause]
    if (sessions === 'all' || (sessions === 'others' && !hasSession)) return labels
    if (sessions === 'others') return ['substituted', 'weaker']
    return sessions ? [sessions] : []
  })
  return labels.filter((label) => !ended.includes(label))
}

const labels = ['own', 'substituted', 'weaker']

/** The changes that still wait: a change that is replaced does not. */
const waitingAfter = (causes: readonly EndingCause[]) => [
  ...(causes.includes('newEmailReplaced') ? [] : ['email']),
  ...(causes.includes('newPhoneReplaced') ? [] : ['phone']),
]

interface EndingAct {
  causes: readonly EndingCause[]
  /** Whether the request has a session of the user. */
  hasSession: boolean
  act(account: Account): Promise<unknown>
}

const password = 'a brand new password'

const acts: Record<string, EndingAct> = {
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
  'a proof of a factor': {
    causes: ['factorProved'],
    hasSession: true,
    act: ({ token, app }) => factors().prove(token, app),
  },
  'a recovery code': {
    causes: ['factorProved'],
    hasSession: true,
    act: ({ token, codes }) => factors().useCode(token, codes[0] ?? ''),
  },
  'the first proof of a factor': {
    causes: ['factorProved', 'factorVerified'],
    hasSession: true,
    act: async ({ token }) =>
      factors().prove(token, await factors().enrolledApp(token, 'another app')),
  },
  'the first proof of the only factor': {
    causes: ['factorProved', 'factorVerified', 'firstFactorVerified'],
    hasSession: true,
    act: async ({ userId, token }) => {
      await auth.rows('delete from auth.factors where user_id = $1', [userId])
      await auth.rows('update auth.users set change_proved_at = null where id = $1', [userId])
      await factors().prove(token, await factors().enrolledApp(token, 'another app'))
    },
  },
  'the removal of a factor': {
    causes: ['factorRemoved'],
    hasSession: true,
    act: ({ token, app }) => factors().unenroll(token, app.id),
  },
  'the replacement of recovery codes (S150)': {
    causes: ['recoveryCodesReplaced'],
    hasSession: true,
    act: ({ token }) => auth.post('/factors/recovery-codes/regenerate', {}, { token }),
  },
  'the removal of a factor by an operator': {
    causes: ['factorRemoved'],
    hasSession: false,
    act: ({ userId, app }) => auth.auth.admin.deleteFactor(userId, app.id),
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

/** The table as it was reviewed. The compiler requires new causes. */
const reviewed: Record<EndingCause, string> = {
  passwordChanged: 'sessions others, grants all, consents all, tokens all, codes all',
  passwordReplaced: 'grants all',
  passwordChangedElsewhere: 'sessions all, grants all, consents all',
  addressChanged: 'tokens all, codes all',
  newEmailReplaced: 'tokens email_change_new+email_change_current',
  newPhoneReplaced: 'tokens phone_change',
  addressConfirmed: 'tokens all, codes all',
  firstAddressConfirmed:
    'sessions others, grants all, consents all, factors all, webAuthnChallenges all, codes all, passkeys suspended, tokens all',
  reclaimed:
    'sessions others, grants all, consents all, factors all, webAuthnChallenges all, codes all, passkeys all',
  identityUnlinked: 'codes all',
  userBanned: 'tokens email_change_new+email_change_current+phone_change, pendingChanges all',
  sessionsRevoked:
    'sessions all, grants all, tokens email_change_new+email_change_current+phone_change, codes all, pendingChanges all',
  factorProved: 'sessions weaker',
  factorVerified: 'sessions substituted, grants all, pendingChanges unproved',
  firstFactorVerified: 'pendingChanges waiting',
  factorRemoved: 'grants all, factors alone',
  recoveryCodesReplaced: 'grants all, pendingChanges waiting',
  factorImported: 'grants all',
  signedOut: 'sessions own',
  signedOutElsewhere: 'sessions others',
  signedOutEverywhere: 'sessions all, grants all',
}

it('ends the reviewed parts', () => {
  const listed = Object.entries<Ending>(endings).map(([cause, parts]) => {
    const extents = Object.entries(parts).map(
      ([part, extent]) => `${part} ${[extent].flat().join('+')}`,
    )
    return [cause, extents.join(', ')]
  })

  expect(Object.fromEntries(listed)).toEqual(reviewed)
})

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
    expect(endingOf(['userBanned', 'addressConfirmed'])).toMatchObject({
      tokens: 'all',
      codes: 'all',
    })
    expect(endingOf(['newEmailReplaced', 'newPhoneReplaced']).tokens).toEqual([
      'email_change_new',
      'email_change_current',
      'phone_change',
    ])
    expect(endingOf(['sessionsRevoked', 'passwordChanged']).sessions).toBe('all')
    expect(endingOf(['passwordChanged', 'sessionsRevoked']).sessions).toBe('all')
    expect(endingOf(['firstFactorVerified', 'factorVerified']).pendingChanges).toBe('waiting')
    expect(endingOf(['factorVerified', 'firstFactorVerified']).pendingChanges).toBe('waiting')
    expect(endingOf(['firstFactorVerified', 'userBanned']).pendingChanges).toBe('all')
    expect(endingOf(['reclaimed', 'firstAddressConfirmed']).passkeys).toBe('all')
  })
})
