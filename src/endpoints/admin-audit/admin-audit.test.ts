import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth()
  token = await auth.given.serviceToken('svc_admin')
})
afterAll(() => auth.close())

const list = (query = '') => auth.get(`/admin/audit${query}`, { token })
const search = (query: string) => list(`?query=${encodeURIComponent(query)}`)

interface Entry {
  payload: { action: string; log_type: string; actor_id: string; actor_username: string }
}
const actionsOf = ({ body }: Answer) => body.map(({ payload }: Entry) => payload.action)
const distinct = (answer: Answer, name: keyof Entry['payload']) => [
  ...new Set(answer.body.map(({ payload }: Entry) => payload[name])),
]

describe('the audit log', () => {
  it('lists entries, the newest first, with actor, time and client address', async () => {
    const { user, accessToken } = await auth.given.session('ada@audit.test')
    auth.clock.advance(1)
    const headers = { 'user-agent': 'x' }
    await auth.put('/user', { data: { full_name: 'Ada' } }, { token: accessToken, headers })
    auth.clock.advance(1)
    const { headers: removal } = await auth.request('DELETE', `/admin/users/${user.id}`, {
      token,
      ip: '198.51.100.4',
      body: { should_soft_delete: true },
    })

    const { status, body } = await list('?per_page=1')
    const older = (await search('action:user_modified')).body[0]

    const hidden = (await auth.get(`/admin/users/${user.id}`, { token })).body
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: expect.any(String),
        created_at: auth.clock.now().toISOString(),
        ip_address: '198.51.100.4',
        request_id: removal.get('x-request-id'),
        payload: {
          action: 'user_deleted',
          log_type: 'team',
          actor_id: '00000000-0000-0000-0000-000000000000',
          actor_via_sso: false,
          actor_username: 'svc_admin',
          traits: { user_id: user.id, user_email: 'ada@audit.test', user_phone: '' },
        },
      },
    ])
    expect(older.payload).toEqual({
      action: 'user_modified',
      log_type: 'user',
      actor_id: user.id,
      actor_via_sso: false,
      actor_username: hidden.phone,
    })
  })

  it("contain the actor's phone before the email, and the name", async () => {
    const { user, accessToken } = await auth.given.session('both@audit.test')
    auth.clock.advance(1)
    await auth.put('/user', { data: { full_name: 'Bea' } }, { token: accessToken })
    const byEmail = (await list('?per_page=1')).body[0].payload

    await auth.auth.admin.updateUser(user.id, { phone: '491510001', phoneConfirm: true })
    const byPhone = (await search('author:491510001')).body[0].payload

    expect(byEmail).toMatchObject({ actor_username: 'both@audit.test', actor_name: 'Bea' })
    expect(byPhone).toMatchObject({ actor_username: '491510001', actor_id: user.id })
  })

  it('lists entries of the same instant in their order', async () => {
    auth.clock.advance(1)
    await auth.post('/signup', { email: 'order@audit.test', password: 'correct horse' })

    expect(actionsOf(await list('?per_page=2'))).toEqual(['login', 'user_signedup'])
  })

  it('returns pages, with links and a total', async () => {
    const { total } = (
      await auth.rows<{ total: number }>('select count(*)::int as total from auth.audit_entries')
    )[0] ?? { total: 0 }

    const [first, second, far] = [
      await list('?per_page=2'),
      await list('?page=2&per_page=2'),
      await list('?page=999999999&per_page=10000'),
    ]
    const both = await list('?per_page=4')

    expect([...first.body, ...second.body]).toEqual(both.body)
    expect(far.body).toEqual([])
    expect(first.headers.get('x-total-count')).toBe(String(total))
    expect(first.headers.get('link')).toBe(
      `</admin/audit?page=2&per_page=2>; rel="next", ` +
        `</admin/audit?page=${Math.ceil(total / 2)}&per_page=2>; rel="last"`,
    )
  })

  it('is searched by author, action and type, in any letter case', async () => {
    const { user } = await auth.given.session('cleo@audit.test')

    const byAddress = await search('author:CLEO@')
    const byRole = await search('author:Host')
    const byAction = await search('action:LOG')
    const byType = await search('type:Acc')
    const all = await search('type:')

    expect(distinct(byAddress, 'actor_id')).toEqual([user.id])
    expect(actionsOf(byAddress)).toEqual(['login'])
    expect(distinct(byRole, 'actor_username')).toEqual(['host'])
    expect(distinct(byAction, 'action')).toEqual(['login'])
    expect(distinct(byType, 'log_type')).toEqual(['account'])
    expect(byType.headers.get('x-total-count')).toBe(String(byType.body.length))
    expect(all.body).toEqual((await list()).body)
  })

  it('returns an empty list without a match', async () => {
    const answers = [await search('author:nobody at all'), await search('action:%')]

    expect(answers.map(({ body }) => body)).toEqual([[], []])
    expect(answers[0]?.headers.get('x-total-count')).toBe('0')
  })

  it.each([
    ['a scope of another name', 'color:red', 'Invalid query scope: color:red'],
    ['no scope', 'red', 'Invalid query scope: red'],
    ['a scope without a colon', 'author', 'Invalid query scope: author'],
    ['NUL', 'author:\0', 'query: holds characters that cannot be stored'],
  ])('is not searched by %s', async (_case, query, message) => {
    const { status, body } = await search(query)

    expect([status, body.error_code, body.msg]).toEqual([400, 'validation_failed', message])
  })

  it('rejects invalid pages', async () => {
    const { status, body } = await list('?page=x')

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(/^Bad Pagination Parameters: /)
  })

  it('leaves out actions that only a newer version defines, which writes to the same database', async () => {
    await auth.rows(
      `insert into auth.audit_entries (id, created_at, action)
        values ('ffffffff-ffff-7fff-bfff-ffffffffffff', now(), 30000)`,
    )

    const answer = await list('?per_page=2')
    await auth.rows('delete from auth.audit_entries where action = 30000')

    expect([answer.status, answer.body.length]).toEqual([200, 1])
  })
})
