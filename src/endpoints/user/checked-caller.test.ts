import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beforeWrite } from '../../../test/support/before-write.ts'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { authenticateCaller, type Caller } from '../../accounts/callers/authenticate-caller.ts'
import { lockUser } from '../../accounts/users/find-user.sql.ts'
import { statement } from '../../platform/sql/statement.ts'
import { openCall } from '../../service/api/call-options.ts'
import { updateOwnUser } from './update-own-user.ts'

// The step-up is checked on the caller that the write sees, not on the one that was read before.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const password = 'a brand new password'
const insufficient = { code: 'insufficient_aal', status: 401 }

const stillSignsInBy = async (email: string | null, current: string) => {
  const { status } = await auth.post('/token?grant_type=password', { email, password: current })
  return status === 200
}

const raise = statement<{ sessionId: string }>(
  'raise_in_test',
  (sql, $) => `update ${sql.table('sessions')} set aal = 'aal2' where id = ${$.sessionId}`,
)
const countWaiting = statement<Record<never, never>, { waiting: number }>(
  'count_waiting_in_test',
  () => `select count(*)::int as waiting from pg_locks where not granted`,
)

it('S62: rejects a second first user name where changes are disabled', async () => {
  const fixed = await startTestAuth({ usernames: { enabled: true, changeEnabled: false } })
  const { accessToken } = await fixed.given.session()
  const ctx = openCall(await fixed.deps())
  const caller = await authenticateCaller(ctx, accessToken)

  const chooseFirst = () => fixed.auth.api.updateUser({ accessToken, username: 'first' })
  const updating = updateOwnUser(beforeWrite(ctx, chooseFirst), caller, { username: 'second' })

  await expect(updating).rejects.toMatchObject({ code: 'validation_failed', status: 422 })
  expect((await fixed.auth.api.getUser({ accessToken })).username).toBe('first')
  await fixed.close()
})

describe('a new password', () => {
  it('is rejected when the first factor is verified between the check and the write', async () => {
    const { user, accessToken, app, answer } = await factors.begun()
    const ctx = openCall(await auth.deps())
    const caller = await authenticateCaller(ctx, accessToken)

    const verify = () => answer(factors.codeOf(app))
    const updating = updateOwnUser(beforeWrite(ctx, verify), caller, { password })

    await expect(updating).rejects.toMatchObject(insufficient)
    expect(await stillSignsInBy(user.email, testPassword)).toBe(true)
  })

  it('is rejected for a token without a session, too', async () => {
    const { user, accessToken, app, answer } = await factors.begun()
    const ctx = openCall(await auth.deps())
    const { session: _, ...read } = await authenticateCaller(ctx, accessToken)
    const { session_id: __, ...claims } = read.claims
    const caller = { ...read, session: null, claims } as Caller

    const verify = () => answer(factors.codeOf(app))
    const updating = updateOwnUser(beforeWrite(ctx, verify), caller, { password })

    await expect(updating).rejects.toMatchObject(insufficient)
    expect(await stillSignsInBy(user.email, testPassword)).toBe(true)
  })

  it('waits for a running change of the session, and is checked on its result', async () => {
    const { user, accessToken } = await auth.given.session()
    const deps = await auth.deps()
    const ctx = openCall(deps)
    const caller = await authenticateCaller(ctx, accessToken)
    const sessionId = caller.session?.id ?? ''
    const written: string[] = []
    const watched: AuthContext = {
      ...ctx,
      sql: {
        table: ctx.sql.table,
        query: async (one, values) => {
          const rows = await ctx.sql.query(one, values)
          if (one.name === 'save_user') written.push(`${rows.length} rows`)
          return rows
        },
      },
    }

    const updating = await deps.database.transaction(async ({ sql }) => {
      await lockUser(sql, user.id)
      const started = updateOwnUser(watched, caller, { password })
      while ((await sql.query(countWaiting, {}))[0]?.waiting === 0)
        await ctx.sql.query(countWaiting, {})
      await sql.query(raise, { sessionId })
      return { started }
    })
    await updating.started

    // The optimistic write saw another session than the check; the write under the lock succeeded.
    expect(written).toEqual(['0 rows'])
    expect(await stillSignsInBy(user.email, password)).toBe(true)
  })
})
