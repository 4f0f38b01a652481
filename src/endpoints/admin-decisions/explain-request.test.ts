import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth({
    rateLimits: { verify: 2 },
    server: { requestIdHeader: 'x-correlation-id' },
  })
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? ''
const why = async (answer: Answer) =>
  (await auth.auth.admin.explain(idOf(answer))).map(({ endpoint, status, kind, rule }) => ({
    endpoint,
    status,
    kind,
    rule,
  }))

const password = (email: string, secret: string, headers = {}) =>
  auth.post('/token?grant_type=password', { email, password: secret }, { headers })

describe('the decisions about a request', () => {
  it('contain the rule: a wrong password, a reused refresh token, a link, a limit', async () => {
    const { refreshToken } = await auth.given.session('ada@why.test')
    const refresh = () =>
      auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })
    await refresh()
    auth.clock.advance(60)
    const link = () =>
      auth.post('/verify', { type: 'magiclink', token_hash: 'c4n4ry' }, { ip: '198.51.100.1' })
    const links: Answer[] = []
    for (let count = 0; count < 31; count++) links.push(await link())
    const last = links.at(-1) as Answer

    expect(await why(await password('ada@why.test', 'c4n4ry'))).toEqual([
      { endpoint: 'POST /token', status: 400, kind: 'check', rule: 'invalid_credentials' },
    ])
    expect(await why(await refresh())).toEqual([
      { endpoint: 'POST /token', status: 400, kind: 'reuse', rule: 'refresh_token_already_used' },
    ])
    expect(await why(links[0] as Answer)).toEqual([
      { endpoint: 'POST /verify', status: 403, kind: 'link', rule: 'otp_expired' },
    ])
    const refused = { endpoint: 'POST /verify', status: 429, kind: 'limit' }
    expect(await why(last)).toEqual([
      { ...refused, rule: 'verify_requests' },
      { ...refused, rule: 'over_request_rate_limit' },
    ])
    const rows = await auth.rows('select * from auth.decisions')
    expect(JSON.stringify(rows)).not.toMatch(/c4n4ry|ada@|198\.51\.100|203\.0\.113/)
  })

  it('contain a rejected redirect, although the request succeeded', async () => {
    const answer = await auth.post('/recover?redirect_to=https://evil.test/c4n4ry', {
      email: 'ada@why.test',
    })

    expect(answer.status).toBe(200)
    expect(await why(answer)).toEqual([
      { endpoint: 'POST /recover', status: 200, kind: 'redirect', rule: expect.any(String) },
    ])
  })

  it('contain an invalid link, whose redirect contains the reason', async () => {
    const answer = await auth.get('/verify?type=magiclink&token=c4n4ry', { ip: '198.51.100.9' })

    expect(answer.status).toBe(303)
    expect((await why(answer)).map(({ kind, rule }) => [kind, rule])).toEqual([
      ['link', 'otp_expired'],
    ])
  })

  it('contain a password policy, and which of three limits on messages applied', async () => {
    const policy = await auth.post('/signup', { email: 'new@why.test', password: 'short' })
    const ask = () => auth.post('/recover', { email: 'often@why.test' })
    await ask()
    const limit = await ask()

    expect((await why(policy)).map(({ kind, rule }) => [kind, rule])).toEqual([
      ['policy', 'weak_password'],
    ])
    expect((await why(limit)).map(({ kind, rule }) => [kind, rule])).toEqual([
      ['limit', 'email_interval'],
      ['limit', 'over_email_send_rate_limit'],
    ])
  })

  it('contain a wrong code, a code that was not sent, and exhausted attempts', async () => {
    const codes = await startTestAuth({
      email: { autoconfirm: false },
      hooks: { sendEmail: () => {} },
    })
    const rules = async (answer: Answer) =>
      (await codes.auth.admin.explain(idOf(answer))).map(({ kind, rule }) => `${kind} ${rule}`)
    const email = 'code@why.test'
    const verify = () => codes.post('/verify', { type: 'email', email, token: '000000' })
    const before = await verify()
    await codes.post('/otp', { email })
    const wrong = await verify()
    const wrongPassword = () =>
      codes.post('/token?grant_type=password', { email, password: 'c4n4ry' })
    let last = await wrongPassword()
    for (let count = 0; count < 60 && last.status !== 429; count += 1) last = await wrongPassword()

    expect(await rules(before)).toEqual(['link no_code_waits', 'link otp_expired'])
    expect(await rules(wrong)).toEqual(['link wrong_code', 'link otp_expired'])
    expect(await rules(last)).toEqual(['limit password_attempts', 'limit over_request_rate_limit'])
    await codes.close()
  })

  it('are found for several requests at once, with the id of each', async () => {
    const answers = [await password('a@why.test', 'x'), await password('b@why.test', 'x')]
    auth.clock.advance(1)
    answers.push(await password('c@why.test', 'x'))
    const [first, second, last] = answers.map(idOf)
    const ids = [first, last, first, second, 'unknown'] as string[]

    const found = await auth.auth.admin.explain(ids)

    expect(found.map(({ requestId }) => requestId).toSorted()).toEqual(
      [first, second, last].toSorted(),
    )
    expect(found[0]).toMatchObject({ requestId: last, rule: 'invalid_credentials' })
    expect(await auth.auth.admin.explain([])).toEqual([])
  })

  it.each([
    [['ada-1', 'no id']],
    [['ada-1', 7]],
    [Array.from({ length: 101 }, (_, index) => `id-${index}`)],
  ])('are rejected for %j, which are not at most 100 ids', async (ids) => {
    await expect(auth.auth.admin.explain(ids as string[])).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  it('are empty where nothing was rejected', async () => {
    expect(await why(await auth.get('/settings'))).toEqual([])
  })

  it('are returned only to operators, for a day', async () => {
    const answer = await password('nobody@why.test', 'wrong', { 'x-correlation-id': 'order/7' })
    const ask = (options = {}) => auth.get('/admin/decisions?request_id=order/7', options)
    const { body: response } = await ask({ token })
    auth.clock.advance(24 * 60 * 60)
    const later = await ask({ token: await auth.given.serviceToken() })

    expect(idOf(answer)).toBe('order/7')
    expect((await ask()).status).toBe(401)
    expect(response).toEqual([
      {
        decided_at: expect.any(String),
        endpoint: 'POST /token',
        status: 400,
        kind: 'check',
        rule: 'invalid_credentials',
        meaning: expect.stringMatching(/./),
      },
    ])
    expect(later.body).toEqual([])
  })

  it.each(['', 'no id', 'x'.repeat(129)])('are rejected for %j, which is not an id', async (id) => {
    const { status, body } = await auth.get(
      `/admin/decisions?request_id=${encodeURIComponent(id)}`,
      { token: await auth.given.serviceToken() },
    )
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
  })
})

it('a client that floods does not displace decisions about others, and a request costs no statement', async () => {
  const own = await startTestAuth()
  const { decisions } = await own.deps()
  const note = (client: string | null, requestId: string) =>
    decisions.note({
      requestId,
      client,
      endpoint: 'POST /token',
      status: 400,
      decisions: [{ kind: 'check', rule: 'invalid_credentials' }],
    })
  for (let count = 0; count < 10_000; count++) note('flood', 'flooded')
  note('ada', 'ada-1')
  const before = await own.rows('select request_id from auth.decisions')
  await decisions.flush()
  const ofFlood = await own.rows(`select from auth.decisions where request_id = 'flooded'`)

  expect(before).toEqual([])
  expect(ofFlood).toHaveLength(10)
  expect(await own.auth.admin.explain('ada-1')).toHaveLength(1)
  await own.close()
})

describe('a hook', () => {
  const fails = () => {
    throw new AuthError('weak_password', 422, 'Not with this name')
  }
  const rejects = () => ({ decision: 'reject', message: 'Enough' }) as const
  const rules = async (own: TestAuth, answer: Answer) =>
    (await own.auth.admin.explain(idOf(answer))).map(({ kind, rule }) => `${kind} ${rule}`)

  it("contain the hook's name, whether it rejects, fails or returns an unusable result", async () => {
    const own = await startTestAuth({
      hooks: { beforeUserCreated: fails, passwordVerificationAttempt: rejects },
    })
    const claims = await startTestAuth({ hooks: { customAccessToken: () => ({ claims: {} }) } })
    const credentials = { email: 'ada@why.test', password: 'correct horse' }
    const signIn = (auth: TestAuth) => auth.post('/token?grant_type=password', credentials)

    expect(await rules(own, await own.post('/signup', credentials))).toEqual([
      'hook before-user-created',
      'policy weak_password',
    ])
    expect(await rules(own, await signIn(own))).toEqual([
      'hook password-verification',
      'check invalid_credentials',
    ])
    expect(await rules(claims, await claims.post('/signup', credentials))).toEqual([
      'hook customize-access-token',
      'fault unexpected_failure',
    ])
    await own.close()
    await claims.close()
  })
})

it('a reused secret of a trusted device is recorded as reuse', async () => {
  const own = await startTestAuth({ mfa: { trustedDevices: { enabled: true } } })
  const factors = secondFactors(own)
  const { accessToken, user } = await factors.aal2Session()
  const { body } = await own.post('/trusted-devices', {}, { token: accessToken })
  const weak = await factors.signIn(user.email)
  const verify = () =>
    own.post('/trusted-devices/verify', { secret: body.secret }, { token: weak.accessToken })
  await verify()
  const again = await own.auth.admin.explain(idOf(await verify()))

  expect(again.map(({ kind, rule }) => [kind, rule])).toEqual([
    ['reuse', 'trusted_device_secret'],
    ['check', 'trusted_device_not_found'],
  ])
  await own.close()
})
