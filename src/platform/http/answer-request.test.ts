import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeEach(async () => {
  auth = await startTestAuth()
})
afterEach(() => auth.close())

describe('a fault', () => {
  /** Causes a database error that quotes its value. */
  const fail = async () => {
    await auth.given.user('ada@example.test')
    await auth.rows('alter table auth.sessions alter column user_agent type int using null')
    auth.log.length = 0
    return auth.post(
      '/token?grant_type=password',
      { email: 'ada@example.test', password: testPassword },
      { headers: { 'user-agent': 'hunter2' } },
    )
  }

  it('returns 500, and reports its cause in the log only', async () => {
    const answer = await fail()

    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      code: 500,
      error_code: 'unexpected_failure',
      msg: 'Unexpected failure, please check server logs for more information',
      request_id: answer.headers.get('x-request-id'),
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('is found in the log by the id in the response', async () => {
    const { body } = await fail()

    const entry = auth.log.find(({ message }) => message === 'request failed')
    expect(entry).toMatchObject({
      level: 'error',
      fields: { requestId: body.request_id, fault: { code: '22P02', stack: expect.any(Array) } },
    })
  })

  it('is described without the values that the database quotes', async () => {
    await fail()

    for (const secret of ['hunter2', 'ada@example.test', testPassword, '$argon2']) {
      expect(JSON.stringify(auth.log)).not.toContain(secret)
    }
  })
})

describe('a fault outside the endpoints', () => {
  it('is a fault as well, and not a service that does not run', async () => {
    const deps = await auth.deps()
    const { random } = deps
    auth.log.length = 0
    deps.random = {
      ...random,
      uuid: () => {
        throw new Error('no entropy is left')
      },
    }

    const answer = await auth.get('/settings', {
      headers: { 'x-supabase-api-version': '2024-01-01' },
    })
    deps.random = random

    expect([answer.status, answer.body.code]).toEqual([500, 'unexpected_failure'])
    expect(answer.headers.get('retry-after')).toBe(null)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(auth.log).toEqual([
      {
        level: 'error',
        message: 'request failed',
        fields: {
          requestId: answer.headers.get('x-request-id'),
          fault: expect.objectContaining({ stack: expect.any(Array) }),
        },
      },
    ])
    expect((await auth.get('/settings')).status).toBe(200)
  })
})

describe('a service that is closed', () => {
  it.each([
    ['', 'error_code'],
    ['2024-01-01', 'code'],
  ])('returns 503 in the form of the requested version (%s)', async (version, field) => {
    const { auth: closed } = auth
    await closed.close()

    const answer = await closed.fetch(
      new Request('http://auth.test/health', { headers: { 'x-supabase-api-version': version } }),
    )

    const body = (await answer.json()) as Record<string, unknown>
    expect([answer.status, body[field]]).toEqual([503, 'service_unavailable'])
    expect(body.request_id).toBe(answer.headers.get('x-request-id'))
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('x-supabase-api-version')).toBe(version || null)
  })
})
