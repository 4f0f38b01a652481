import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, callback } from '../../../test/support/oauth-clients.ts'
import { runText } from '../../../test/support/statements.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { insertAuthorization, maxUnopened } from './authorize/insert-authorization.sql.ts'
import { findOauthClient, insertClient, maxUnusedClients } from './clients/clients.sql.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth(asOauthServer)
})
afterAll(() => auth.close())

const count = async (condition: string) =>
  (await auth.rows(`select id from auth.oauth_clients where ${condition}`)).length

describe('clients that registered themselves and are not used', () => {
  it('are deleted without waiting for requests that hold the oldest, or locking those that remain', async () => {
    const { body } = await auth.post('/oauth/clients/register', { redirect_uris: [callback] })
    const { database, clock } = await auth.deps()
    const row = await findOauthClient(database.sql, body.client_id, clock.now())
    if (!row) throw new Error('no client')
    await auth.rows(
      `insert into auth.oauth_clients select (jsonb_populate_record(c, jsonb_build_object(
          'id', 'old-' || n, 'expires_at', c.expires_at - n * interval '1 ms'))).*
        from auth.oauth_clients c, generate_series(1, $1::int) n where c.id = $2`,
      [maxUnusedClients + 8, body.client_id],
    )
    const register = (id: string) =>
      insertClient(database.sql, { ...row, id }, { auditRows: '[]', messageRows: '[]' } as never)
    // Its random digits cause no deletion.
    await register('ffffffff-0000-4000-8000-000000000000')
    expect(await count('true')).toBe(maxUnusedClients + 10)

    await database.transaction(async ({ sql }) => {
      const held = `id in ('old-${maxUnusedClients + 8}', 'old-1')`
      await runText(sql, `select from auth.oauth_clients where ${held} for update`)
      await register('00000000-0000-4000-8000-000000000000')
      const oldest = `id in ('old-${maxUnusedClients + 7}', 'old-${maxUnusedClients + 8}')`
      expect(await auth.rows(`select id from auth.oauth_clients where ${oldest}`)).toEqual([
        { id: `old-${maxUnusedClients + 8}` },
      ])
    })
    await register('01000000-0000-4000-8000-000000000000')

    expect(await count('true')).toBe(maxUnusedClients)
    expect(await count(`id = '${body.client_id}'`)).toBe(1)
  })
})

describe('requests that no user has opened', () => {
  it('S82: are not deleted if a user opens one between the search and its lock', async () => {
    const { body } = await auth.post('/oauth/clients/register', { redirect_uris: [callback] })
    const { id: userId } = await auth.given.user()
    const deps = await auth.deps()
    const given = {
      client: { clientId: body.client_id },
      request: { redirect_uri: callback, scope: 'openid' },
      status: 'pending',
    } as const
    const insert = (id: string, userCodeHash: string) =>
      insertAuthorization({ ...deps, sql: deps.database.sql }, { ...given, id, userCodeHash })
    await insert('f'.repeat(32), 'the newest')
    await auth.rows(
      `insert into auth.oauth_authorizations select (jsonb_populate_record(a, jsonb_build_object(
          'id', 'old-' || n, 'user_code_hash', null, 'created_at', a.created_at - n * interval '1 ms'))).*
        from auth.oauth_authorizations a, generate_series(1, $1::int) n`,
      [maxUnopened + 8],
    )
    const oldest = `id = 'old-${maxUnopened + 8}'`
    const isWaiting = async () => {
      const waiting = await auth.rows(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      expect(waiting).toHaveLength(1)
    }
    let inserted: Promise<boolean> = Promise.resolve(false)

    await deps.database.transaction(async ({ sql }) => {
      await insertAuthorization(
        { ...deps, sql },
        { ...given, id: 'e'.repeat(32), userCodeHash: 'taken' },
      )
      // It has found the surplus rows in its snapshot, and waits for the user code.
      inserted = insert('0'.repeat(32), 'taken')
      await waitFor(isWaiting)
      await auth.rows(`update auth.oauth_authorizations set user_id = $1 where ${oldest}`, [userId])
    })

    expect(await inserted).toBe(false)
    const left = await auth.rows(`select id from auth.oauth_authorizations where user_id is null`)
    expect(left.length).toBeLessThanOrEqual(maxUnopened + 1)
    expect(
      await auth.rows(`select user_id from auth.oauth_authorizations where ${oldest}`),
    ).toEqual([{ user_id: userId }])
  })
})
