import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import type { AuthConfig } from '../src/platform/config/config.ts'
import type { TelemetryConfig } from '../src/platform/config/sections/telemetry.ts'
import {
  type Collector,
  type ReceivedSpan,
  startCollector,
  startGrpcCollector,
} from './support/otlp-collector.ts'
import { secondFactors } from './support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const both: TelemetryConfig = { tracing: { enabled: true }, metrics: { enabled: true } }

/** Starts a service that exports to a collector, which has all data once the service is closed. */
async function observed(telemetry: TelemetryConfig = both, config: AuthConfig = {}) {
  const isGrpc = telemetry.otlp?.protocol === 'grpc'
  const collector = await (isGrpc ? startGrpcCollector() : startCollector())
  closers.push(collector.close)
  const auth = await startTestAuth({
    ...config,
    telemetry: { ...telemetry, otlp: { endpoint: collector.url, ...telemetry.otlp } },
  })
  let isClosed = false
  const finish = async (): Promise<Collector> => {
    if (!isClosed) await auth.close()
    isClosed = true
    return collector
  }
  closers.push(async () => void (await finish()))
  return { auth, collector, finish }
}

const takingAll = {
  send: async () => ({ carrierMessageId: null }),
  preview: async () => ({ text: '' }),
}

const signIn = (auth: TestAuth, email: string | null, password = testPassword, headers = {}) =>
  auth.post('/token?grant_type=password', { email, password }, { headers })

const refresh = (auth: TestAuth, refreshToken: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })

const only = (spans: ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.filter((span) => span.name === name)
  expect(found, name).toHaveLength(1)
  return found[0] as ReceivedSpan
}

const childrenOf = (spans: ReceivedSpan[], { spanId }: ReceivedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name)

describe('sampling', () => {
  const traceparent = (flags: string) => ({
    traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`,
  })

  it.each([
    { sampler: 'parentbased_always_on', exported: ['none', 'sampled'] },
    { sampler: 'parentbased_always_off', exported: ['sampled'] },
    { sampler: 'parentbased_traceidratio', samplerRatio: 0, exported: ['sampled'] },
    { sampler: 'always_on', exported: ['none', 'sampled', 'unsampled'] },
    { sampler: 'always_off', exported: [] },
    { sampler: 'traceidratio', samplerRatio: 0, exported: [] },
    { sampler: 'traceidratio', samplerRatio: 1, exported: ['none', 'sampled', 'unsampled'] },
  ] as const)('by $sampler exports $exported', async ({ exported, ...sampling }) => {
    const { auth, finish } = await observed({ tracing: { enabled: true, ...sampling } })
    const callers = { none: {}, sampled: traceparent('01'), unsampled: traceparent('00') }
    const idsOf: Record<string, unknown> = {}
    for (const [caller, headers] of Object.entries(callers)) {
      const { body } = await signIn(auth, 'nobody@example.com', testPassword, headers)
      idsOf[caller] = body.request_id
    }

    const { spans } = await finish()

    const stated = new Set<unknown>(spans.map(({ attributes }) => attributes['auth.request_id']))
    expect(Object.keys(idsOf).filter((caller) => stated.has(idsOf[caller]))).toEqual(exported)
  })
})

it('exports ended spans on a signal, as before a process is frozen', async () => {
  const { auth, collector } = await observed()
  await signIn(auth, 'nobody@example.com')
  const { telemetry } = await auth.deps()

  await telemetry?.flush()

  only(collector.spans, 'POST /token')
})

describe('a trace of a sign-in', () => {
  it('continues the trace of the caller, with the hash and each statement', async () => {
    const { auth, finish } = await observed()
    const { email } = await auth.given.user()
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const parent = '00f067aa0ba902b7'

    const { status } = await signIn(auth, email, testPassword, {
      traceparent: `00-${traceId}-${parent}-01`,
    })
    const { spans } = await finish()

    expect(status).toBe(200)
    const ofTrace = spans.filter((span) => span.traceId === traceId)
    const request = only(ofTrace, 'POST /token')
    expect(request).toMatchObject({
      parentSpanId: parent,
      kind: 2,
      status: 0,
      attributes: {
        'http.method': 'POST',
        'http.request.method': 'POST',
        'http.route': '/token',
        'url.path': '/token',
        'http.response.status_code': 200,
        'auth.grant_type': 'password',
      },
    })
    const parts = childrenOf(ofTrace, request)
    expect(parts).toContain('verify password')
    expect(parts.filter((name) => name.includes('_')).length).toBeGreaterThanOrEqual(2)
    expect(ofTrace).toHaveLength(parts.length + 1)
    const statements = ofTrace.filter(({ attributes }) => 'db.system.name' in attributes)
    for (const { name, kind, attributes } of statements) {
      expect(kind).toBe(3)
      expect(attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': name })
    }
  })

  it('contains the version, the name and the attributes of the service', async () => {
    const { auth, finish } = await observed({
      ...both,
      serviceName: 'accounts',
      resourceAttributes: { 'deployment.environment.name': 'test', 'service.name': 'else' },
    })
    await auth.get('/health')
    const { spans, metrics } = await finish()

    const stated = {
      'auth.version': manifest.version,
      'service.name': 'accounts',
      'deployment.environment.name': 'test',
      'service.instance.id': spans[0]?.resource['service.instance.id'],
    }
    expect(spans[0]?.resource).toMatchObject(stated)
    expect(metrics[0]?.resource).toMatchObject(stated)
  })

  it('contains the route of a request, and the values of its parameters in both spellings', async () => {
    const { auth, finish } = await observed()
    const { id } = await auth.given.user()
    await auth.get(`/admin/users/${id}`, { token: await auth.given.serviceToken() })
    const { spans } = await finish()

    expect(only(spans, 'GET /admin/users/{user_id}').attributes).toMatchObject({
      'http.route': '/admin/users/{user_id}',
      'http.route.params.user_id': id,
      'http.route.param.user_id': id,
      'url.path': `/admin/users/${id}`,
    })
  })

  it('contains no client-controlled text of path, method and headers', async () => {
    const { auth, finish } = await observed()
    const headers = { 'user-agent': 'sonderbar/1', 'x-request-id': 'sonderbar-2' }
    await auth.get('/sonderbar-3', { headers })
    await auth.request('BREW', '/sonderbar-4')
    await auth.post('/token?grant_type=sonderbar', {})
    await auth.get('/admin/users/sonderbar-5@example.test')
    await auth.request('DELETE', `/factors/${'sonderbar-6'.repeat(3)}`)
    const { spans, bytes } = await finish()

    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['GET', '_OTHER']))
    expect(only(spans, 'GET /admin/users/{user_id}').attributes).toMatchObject({
      'http.route.params.user_id': '_OTHER',
      'url.path': '/admin/users/_OTHER',
    })
    expect(Buffer.concat(bytes).includes('sonderbar')).toBe(false)
  })

  it('contains no address, password, token or id of a user, and neither do the metrics', async () => {
    const { auth, finish } = await observed()
    const user = await auth.given.user('personal@example.test')
    const { body } = await signIn(auth, user.email)
    await signIn(auth, user.email, 'a wrong password')
    await refresh(auth, body.refresh_token)
    await auth.get('/user', { token: body.access_token, ip: '198.51.100.77' })
    await auth.auth.api.signInWithPassword({ email: user.email ?? '', password: testPassword })
    const all = Buffer.concat((await finish()).bytes)

    expect(all.includes('verify password')).toBe(true)
    const personal = ['personal@', testPassword, 'a wrong password', user.id, '198.51.100.77']
    for (const secret of [...personal, body.access_token, body.refresh_token]) {
      expect(all.includes(secret), secret).toBe(false)
    }
  })

  it('marks a fault as an error, and not a rejection, which has its code', async () => {
    const { auth, finish } = await observed()
    await signIn(auth, 'nobody@example.test', 'wrong password')
    const deps = await auth.deps()
    deps.limits.take = () => Promise.reject(new TypeError('broken'))
    await auth.post('/otp', { email: 'nobody@example.test' })
    const { spans } = await finish()

    expect(only(spans, 'POST /token')).toMatchObject({
      status: 0,
      attributes: { 'auth.error_code': 'invalid_credentials', 'http.response.status_code': 400 },
    })
  })

  it('has a span for a call in code', async () => {
    const { auth, finish } = await observed()
    const { email } = await auth.given.user()
    await auth.auth.api.signInWithPassword({ email: email ?? '', password: testPassword })
    const { spans } = await finish()

    const call = only(spans, 'auth.api.signInWithPassword')
    expect(childrenOf(spans, call)).toContain('verify password')
  })

  it('has a trace of its own for a message, whatever request caused it', async () => {
    const { auth, finish } = await observed()
    const deps = await auth.deps()
    deps.carriers.email = takingAll
    const { email } = await auth.given.user()
    await auth.post('/recover', { email })
    await deps.outbox.settled()
    const { spans, metrics } = await finish()

    const sending = only(spans, 'send email')
    expect(sending).toMatchObject({
      parentSpanId: '',
      attributes: {
        'auth.channel': 'email',
        'auth.message.kind': 'recovery',
        'auth.result': 'sent',
      },
    })
    expect(metrics.find(({ name }) => name === 'auth.messages')?.points).toEqual([
      {
        value: 1,
        attributes: {
          'auth.channel': 'email',
          'auth.message.kind': 'recovery',
          'auth.result': 'sent',
        },
      },
    ])
  })
})

describe('metrics', () => {
  it('count second factors, recovery codes and trusted devices, accepted or rejected', async () => {
    const { auth, finish } = await observed(both, { mfa: { trustedDevices: { enabled: true } } })
    const factors = secondFactors(auth)
    const { user, app, accessToken, codes } = await factors.recoverableSession()
    const { body: device } = await auth.post('/trusted-devices', {}, { token: accessToken })
    const weak = async () => (await factors.signIn(user.email)).accessToken
    const showDevice = async (secret: string) =>
      auth.post('/trusted-devices/verify', { secret }, { token: await weak() })

    const token = await weak()
    const challengeId = await factors.challenge(token, app.id)
    await factors.answer(token, app.id, challengeId, factors.wrongCodeOf(app))
    await factors.useCode(token, 'a'.repeat(16))
    await factors.useCode(token, codes[0] ?? '')
    await showDevice(String(device.secret))
    await showDevice('a'.repeat(64))
    await auth.auth.api
      .verifyRecoveryCode({ accessToken: await weak(), code: 'wrong' })
      .catch(() => {})
    const { metrics } = await finish()

    const counted = metrics.find(({ name }) => name === 'auth.sign_ins')?.points ?? []
    const of = (method: string) =>
      counted
        .filter(({ attributes }) => attributes['auth.method'] === method)
        .map(({ value, attributes }) => [attributes['auth.result'], value])
    expect(of('mfa')).toEqual([
      ['ok', 2],
      ['mfa_verification_failed', 3],
    ])
    expect(of('trusted_device')).toEqual([
      ['ok', 1],
      ['trusted_device_not_found', 1],
    ])
  })

  it('count sign-ins, refreshes, reuses and rejections', async () => {
    const { auth, finish } = await observed()
    const { email } = await auth.given.user()
    const { body } = await signIn(auth, email)
    await signIn(auth, email, 'a wrong password')
    await auth.auth.api
      .signInWithPassword({ email: email ?? '', password: 'a wrong password' })
      .catch(() => {})
    const second = await refresh(auth, body.refresh_token)
    await refresh(auth, second.body.refresh_token)
    await refresh(auth, body.refresh_token)
    auth.clock.advance(1)
    await refresh(auth, body.refresh_token)
    await auth.post('/verify', { type: 'recovery', token_hash: 'a'.repeat(56) })
    const { metrics } = await finish()

    const pointsOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.points
    expect(pointsOf('auth.sign_ins')).toEqual(
      expect.arrayContaining([
        { value: 1, attributes: { 'auth.method': 'password', 'auth.result': 'ok' } },
        {
          value: 2,
          attributes: { 'auth.method': 'password', 'auth.result': 'invalid_credentials' },
        },
        { value: 1, attributes: { 'auth.method': 'otp', 'auth.result': 'otp_expired' } },
      ]),
    )
    expect(pointsOf('auth.refreshes')).toEqual([
      { value: 2, attributes: { 'auth.result': 'ok' } },
      { value: 2, attributes: { 'auth.result': 'refresh_token_already_used' } },
    ])
    expect(pointsOf('auth.refresh_token_reuses')).toEqual([{ value: 1, attributes: {} }])
    expect(pointsOf('auth.acts')).toEqual(
      expect.arrayContaining([
        { value: 1, attributes: { 'auth.act': 'login' } },
        { value: 2, attributes: { 'auth.act': 'failed_sign_in' } },
        { value: 2, attributes: { 'auth.act': 'token_refreshed' } },
      ]),
    )
    expect(pointsOf('auth.proofs')).toEqual([
      { value: 1, attributes: { 'auth.evidence': 'link', 'auth.result': 'otp_expired' } },
    ])
    expect(pointsOf('auth.refusals')).toEqual(
      expect.arrayContaining([
        {
          value: 1,
          attributes: {
            'auth.operation': 'POST /token password',
            'auth.error_code': 'invalid_credentials',
          },
        },
        {
          value: 1,
          attributes: {
            'auth.operation': 'api.signInWithPassword',
            'auth.error_code': 'invalid_credentials',
          },
        },
      ]),
    )
  })

  it('count second factors and their replacements as sign-ins', async () => {
    const { auth, finish } = await observed()
    const factors = secondFactors(auth)
    const { user, app, codes } = await factors.recoverableSession()
    const weak = async () => (await factors.signIn(user.email)).accessToken
    await factors.useCode(await weak(), codes[0] ?? '')
    await factors.useCode(await weak(), codes[0] ?? '')
    const token = await weak()
    const challengeId = await factors.challenge(token, app.id)
    await factors.answer(token, app.id, challengeId, factors.wrongCodeOf(app))
    const { metrics } = await finish()

    const points = metrics.find(({ name }) => name === 'auth.sign_ins')?.points ?? []
    const byFactor = points.filter(({ attributes }) => attributes['auth.method'] === 'mfa')
    expect(byFactor).toEqual([
      { value: 2, attributes: { 'auth.method': 'mfa', 'auth.result': 'ok' } },
      { value: 2, attributes: { 'auth.method': 'mfa', 'auth.result': 'mfa_verification_failed' } },
    ])
  })

  it('contain the number of connections, and of requests that wait for one', async () => {
    const { auth, finish } = await observed()
    await auth.get('/health')
    await auth.rows('select 1')
    const { metrics } = await finish()

    const pointsOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.points
    const states = pointsOf('db.client.connection.count')?.map(
      ({ attributes }) => attributes['db.client.connection.state'],
    )
    expect(states).toEqual(['used', 'idle'])
    expect(pointsOf('db.client.connection.pending_requests')).toHaveLength(1)
  })

  it('contain the number of waiting messages, and nothing while it is unknown', async () => {
    const { auth, finish } = await observed()
    const deps = await auth.deps()
    await deps.outbox.close()
    deps.carriers.email = takingAll
    const { email } = await auth.given.user()
    await auth.post('/recover', { email })
    auth.clock.advance(90)
    const { metrics } = await finish()

    const pointOf = (wanted: string) =>
      metrics
        .find(({ name }) => name === wanted)
        ?.points.find(({ attributes }) => attributes['auth.channel'] === 'email')
    expect(pointOf('auth.outbox.messages')?.value).toBe(1)
    expect(pointOf('auth.outbox.oldest_age')?.value).toBe(90)
  })

  it('have few values for each attribute, whatever clients send', async () => {
    const { auth, finish } = await observed()
    for (let n = 0; n < 30; n += 1) {
      await auth.get(`/nowhere/${n}`)
      await auth.request(`VERB${n}`, '/user')
      await auth.post(`/token?grant_type=g${n}`, {})
      await signIn(auth, `user${n}@example.test`, `wrong password ${n}`)
      await auth.get(`/admin/users/${crypto.randomUUID()}`)
    }
    const { metrics } = await finish()

    const ours = metrics.filter(({ name }) => /^(auth|http|db)\./.test(name))
    expect(ours.length).toBeGreaterThan(5)
    for (const { name, points } of ours) expect(points.length, name).toBeLessThan(25)
  })

  it('include those of Node', async () => {
    const { auth, finish } = await observed()
    await auth.get('/health')
    const { metrics } = await finish()

    const names = metrics.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['v8js.memory.heap.used', 'nodejs.eventloop.utilization']),
    )
  })
})

describe('an exporter', () => {
  it.each([
    ['http/protobuf', { 'content-type': 'application/x-protobuf' }],
    ['http/json', { 'content-type': 'application/json' }],
    ['grpc', {}],
  ] as const)('supports %s for traces, metrics and headers', async (protocol, type) => {
    const { auth, finish } = await observed({
      ...both,
      otlp: { protocol, headers: { 'x-key': 'k1' } },
    })
    const { email } = await auth.given.user()
    const { status } = await signIn(auth, email)
    const { spans, metrics, headers } = await finish()

    expect(status).toBe(200)
    const request = only(spans, 'POST /token')
    expect(request).toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      kind: 2,
      attributes: { 'http.route': '/token', 'http.response.status_code': 200 },
      resource: { 'auth.version': manifest.version, 'service.name': 'latchkey' },
    })
    expect(childrenOf(spans, request)).toContain('verify password')
    expect(metrics.find(({ name }) => name === 'auth.sign_ins')?.points).toEqual([
      { value: 1, attributes: { 'auth.method': 'password', 'auth.result': 'ok' } },
    ])
    expect(headers.length).toBeGreaterThan(1)
    for (const one of headers) expect(one).toMatchObject({ 'x-key': 'k1', ...type })
  })

  it.each(['http/protobuf', 'grpc'] as const)(
    'that the collector rejects over %s logs it once, and delays neither responses nor the end',
    async (protocol) => {
      const { auth, collector, finish } = await observed({
        tracing: { enabled: true },
        otlp: { protocol },
      })
      collector.answerWith(400)
      const { status } = await auth.get('/health')
      await finish()

      expect(status).toBe(200)
      const notExported = auth.log.filter(({ message }) => message === 'traces are not exported')
      expect(notExported).toMatchObject([{ level: 'warn' }])
    },
  )

  it('whose port is in use prevents the start', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    closers.push(async () => void other.close())
    const { port } = other.address() as { port: number }
    const auth = await startTestAuth({
      telemetry: {
        metrics: { enabled: true, exporter: 'prometheus' },
        prometheus: { host: '127.0.0.1', port },
      },
    })
    closers.push(auth.close)

    await expect(auth.auth.ready()).rejects.toMatchObject({
      name: 'TelemetryStartError',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    })
  })
})
