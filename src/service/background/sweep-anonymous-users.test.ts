import { afterEach, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { sweepAnonymousUsers } from './sweep-anonymous-users.ts'

const day = 24 * 60 * 60
const thirtyDays = 30 * day

let auth: TestAuth
afterEach(() => auth.close())

const start = async (config: AuthConfig = {}) => {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    anonymousUsers: { enabled: true, staleAfterSeconds: thirtyDays },
    ...config,
  })
}

const anonymous = async () => {
  const { user, session } = await auth.auth.api.signInAnonymously({ data: { cart: 7 } })
  return { id: user.id, token: session.accessToken, refreshToken: session.refreshToken }
}
const sweep = async (limit = 100) => {
  const turn = sweepAnonymousUsers(await auth.deps())()
  while ((await turn(limit)) === limit);
}
const isThere = async (id: string) =>
  (await auth.rows('select 1 from auth.users where id = $1', [id])).length === 1

it('deletes inactive users, with all their data, and records it', async () => {
  await start()
  const { id } = await anonymous()
  auth.clock.advance(thirtyDays - 1)
  await sweep()
  expect(await isThere(id)).toBe(true)
  auth.clock.advance(2)

  await sweep()

  expect(await isThere(id)).toBe(false)
  expect(await auth.rows('select 1 from auth.sessions where user_id = $1', [id])).toEqual([])
  const { entries } = await auth.auth.admin.listAudit({ userId: id })
  expect(entries).toMatchObject([
    { action: 'user_deleted', actorId: null, traits: { reason: 'stale' } },
  ])
  expect(auth.log.some(({ message }) => message === 'audit_event')).toBe(true)
})

it.each<[string, (who: Awaited<ReturnType<typeof anonymous>>) => Promise<unknown>]>([
  [
    'used their session',
    ({ refreshToken }) =>
      auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken }),
  ],
  [
    'said something of themselves',
    ({ token }) => auth.auth.api.updateUser({ accessToken: token, data: { x: 1 } }),
  ],
])('keeps a user who has %s recently', async (_what, act) => {
  await start({
    anonymousUsers: { enabled: true, staleAfterSeconds: 7 * day },
    jwt: { secret: 'a secret for tests of more than 32 bytes', lifetimeSeconds: 6 * day },
  })
  const who = await anonymous()
  auth.clock.advance(5 * day)
  await act(who)
  auth.clock.advance(5 * day)

  await sweep()
  expect(await isThere(who.id)).toBe(true)

  auth.clock.advance(3 * day)
  await sweep()
  expect(await isThere(who.id)).toBe(false)
})

it('keeps a user with a valid access token', async () => {
  await start({
    anonymousUsers: { enabled: true, staleAfterSeconds: day },
    jwt: { secret: 'a secret for tests of more than 32 bytes', lifetimeSeconds: 7 * day },
  })
  const { id } = await anonymous()
  auth.clock.advance(6 * day)

  await sweep()

  expect(await isThere(id)).toBe(true)
})

it('keeps a user with a pending confirmation', async () => {
  await start({
    anonymousUsers: { enabled: true, staleAfterSeconds: day },
    email: { ...withoutAutoconfirm.email, otpLifetimeSeconds: 3 * day },
  })
  const { id, token } = await anonymous()
  await auth.put('/user', { email: 'ada@example.test' }, { token })
  auth.clock.advance(2 * day)
  await sweep()
  expect(await isThere(id)).toBe(true)

  auth.clock.advance(2 * day)
  await sweep()

  expect(await isThere(id)).toBe(false)
})

it.each<[string, (id: string) => Promise<unknown>]>([
  [
    'is permanent',
    (id) => auth.auth.admin.updateUser(id, { email: 'a@x.test', emailConfirm: true }),
  ],
  ['has an address of an operator', (id) => auth.auth.admin.updateUser(id, { email: 'a@x.test' })],
  ['is banned', (id) => auth.auth.admin.banUser(id, {})],
  ['is kept for the record', (id) => auth.auth.admin.deleteUser(id, { soft: true })],
  [
    'has an account at a provider',
    (id) =>
      auth.rows(
        `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
         values (gen_random_uuid(), $1, 'github', '7', '{}', now(), now())`,
        [id],
      ),
  ],
  [
    'is at a provider at this moment',
    (id) =>
      auth.rows(
        `insert into auth.oauth_states (id, provider, redirect_to, redirect_uri, audience, linking_user_id, expires_at, created_at)
         values (gen_random_uuid(), 'github', '', '', '', $1, '9000-01-01', now())`,
        [id],
      ),
  ],
])('keeps who %s', async (_what, befall) => {
  await start()
  const { id } = await anonymous()
  await befall(id)
  auth.clock.advance(2 * thirtyDays)

  await sweep()

  expect(await isThere(id)).toBe(true)
})

it('deletes a few at a time, and all in the end', async () => {
  await start()
  for (let time = 0; time < 5; time += 1) await anonymous()
  const { id } = await auth.given.user()
  auth.clock.advance(thirtyDays + 1)
  const newer = await anonymous()

  await sweep(2)

  const left = await auth.rows<{ id: string }>('select id from auth.users')
  expect(left.map((row) => row.id).toSorted()).toEqual([id, newer.id].toSorted())
})

it('continues in the next pass where the previous one ended', async () => {
  await start()
  await auth.auth.ready()
  // In 20 pages of 1 the first pass reads these, which are active.
  await auth.rows(
    `insert into auth.users (id, audience, role, app_metadata, user_metadata, is_anonymous, is_sso_user,
        banned_until, created_at, updated_at)
      select gen_random_uuid(), 'authenticated', '', '{}', '{}', true, false, '9000-01-01', '1970-01-01', '1970-01-01'
      from generate_series(1, 30) n`,
  )
  const { id } = await anonymous()
  auth.clock.advance(thirtyDays + 1)
  const begin = sweepAnonymousUsers(await auth.deps())
  const turn = async () => {
    const sweepPage = begin()
    let pages = 1
    while ((await sweepPage(1)) === 1) pages += 1
    return pages
  }

  const first = await turn()
  expect([first, await isThere(id)]).toEqual([20, true])
  await turn()

  expect(await isThere(id)).toBe(false)
})

it('skips users that rows of the application refer to, and logs it', async () => {
  await start()
  const kept = await anonymous()
  const deleted = [await anonymous(), await anonymous()]
  await auth.rows('create table public.orders (user_id uuid references auth.users (id))')
  await auth.rows('insert into public.orders values ($1)', [kept.id])
  auth.clock.advance(thirtyDays + 1)

  await sweep()

  expect(await isThere(kept.id)).toBe(true)
  for (const { id } of deleted) expect(await isThere(id)).toBe(false)
  // By this sweep, or by one of the service that runs meanwhile.
  await expect
    .poll(() => auth.log)
    .toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: { kept: 1 },
        message: expect.stringContaining('rows of the application refer to them'),
      }),
    )
  const entries = await auth.rows('select 1 from auth.audit_entries where user_id = $1', [kept.id])
  expect(entries).toEqual([])
})

it('leaves each user to one of two concurrent sweeps', async () => {
  await start()
  for (let time = 0; time < 10; time += 1) await anonymous()
  auth.clock.advance(thirtyDays + 1)

  await Promise.all([sweep(), sweep(), sweep(3)])

  expect(await auth.rows('select 1 from auth.users')).toEqual([])
  const entries = await auth.rows('select user_id from auth.audit_entries where action = 13')
  expect(entries).toHaveLength(10)
})
