import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, callback } from '../../../test/support/oauth-clients.ts'
import { runText } from '../../../test/support/statements.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { findOauthClient, insertClient, maxUnusedClients } from './clients.sql.ts'

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
