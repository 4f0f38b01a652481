import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, oauthOf } from '../../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { deletesSurplus } from '../delete-surplus.sql.ts'
import { insertAuthorization, maxUnopened } from './insert-authorization.sql.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth(asOauthServer)
})
afterAll(() => auth.close())

describe('the requests of a client that no user has opened', () => {
  it('are limited by one request in 64, which deletes the oldest', async () => {
    const { id: clientId } = await oauthOf(auth).client()
    const { database, clock, config } = await auth.deps()
    await auth.rows(
      `insert into auth.oauth_authorizations (id, client_id, status, request, created_at, expires_at)
        select md5(i::text), $1, 'pending', '{}', $2::timestamptz - make_interval(secs => i),
          $2::timestamptz + interval '1 minute' from generate_series(1, ${maxUnopened + 99}) i`,
      [clientId, clock.now().toISOString()],
    )
    const store = (start: string) =>
      insertAuthorization(
        { sql: database.sql, clock, config },
        {
          id: `${start}${'0'.repeat(30)}`,
          client: { clientId },
          request: { redirect_uri: '', scope: '' },
          status: 'pending',
        },
      )
    const count = async () => {
      const [row] = await auth.rows<{ count: number }>(
        'select count(*)::int from auth.oauth_authorizations where client_id = $1',
        [clientId],
      )
      return row?.count
    }

    await store('ff')
    expect(await count()).toBe(maxUnopened + 100)
    await store('00')
    expect(await count()).toBe(maxUnopened)
  })

  it('are deleted by a part of all ids', () => {
    const starts = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

    expect(starts.filter(deletesSurplus)).toHaveLength(4)
  })
})
