import { generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { noDatabase } from '../../test/support/no-database.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import {
  type Answer,
  answerJson,
  startWebServer,
  type WebServer,
} from '../../test/support/web-server.ts'
import type { HookFunction, ResolvedHook } from '../config/sections/hooks.ts'
import { AuthError } from '../errors/auth-error.ts'
import { systemClock } from '../kit/clock.ts'
import { silentLogger } from '../observability/logger.ts'
import { askHook, callHook, type HookCall, type HookNeeds } from './call-hook.ts'

const needs: HookNeeds = {
  clock: systemClock,
  database: noDatabase,
  logger: silentLogger,
  hookTimeoutMs: 1000,
  hookPauseMs: 20,
}
const at = new Date('2026-03-01T12:00:00.000Z')

const call = (given: Partial<HookCall> = {}): HookCall => ({
  point: 'beforeUserCreated',
  payload: { user: { id: 'u1', name: 'Zoë' } },
  id: randomUUID(),
  at,
  ip: '203.0.113.7',
  ...given,
})

const newSecret = () => `v1,whsec_${randomBytes(32).toString('base64')}`

const overHttp = (uri: string, ...secrets: string[]): ResolvedHook => ({
  enabled: true,
  uri,
  secrets,
  run: null,
})

const inProcess = (run: HookFunction): ResolvedHook => ({
  enabled: true,
  uri: null,
  secrets: [],
  run,
})

/** What the server heard first, in the types of the library that verifies it. */
function firstOf({ heard: [first] }: WebServer) {
  if (!first) throw new Error('it was not asked')
  return { text: first.text, headers: first.headers as Record<string, string> }
}

/** What a hook throws that answers like this. */
async function refusal(answer: Answer, given: HookNeeds = needs) {
  await using server = await startWebServer(answer)
  const asked = await askHook(given, overHttp(`${server.url}/hook?key=s3cret`), call())
  if (!('error' in asked && asked.error instanceof AuthError)) throw new Error('it was no refusal')
  const { status, code, message } = asked.error
  return {
    says: `${status} ${code}: ${message}`,
    isFinal: asked.isFinal,
    times: server.heard.length,
  }
}

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body)

const json = { 'content-type': 'application/json' }

describe('a hook over HTTP', () => {
  it('gets the payload with its metadata, and is understood', async () => {
    await using server = await startWebServer((response) => answerJson(response, 200, { a: [1] }))
    const one = call()

    const output = await callHook(needs, overHttp(`${server.url}/hooks/a?b=c`), one)

    expect(output).toEqual({ a: [1] })
    const [heard] = server.heard
    expect(heard).toMatchObject({
      method: 'POST',
      path: '/hooks/a?b=c',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    })
    expect(JSON.parse(heard?.text ?? '')).toEqual({
      metadata: {
        uuid: one.id,
        time: '2026-03-01T12:00:00.000Z',
        name: 'before-user-created',
        ip_address: '203.0.113.7',
      },
      user: { id: 'u1', name: 'Zoë' },
    })
  })

  it('leaves out an address that is not known', async () => {
    await using server = await startWebServer(answering(204))

    const output = await callHook(needs, overHttp(server.url), call({ ip: null }))

    expect(output).toEqual({})
    expect(JSON.parse(server.heard[0]?.text ?? '').metadata).not.toHaveProperty('ip_address')
  })

  it('is asked with a signature that the library of the standard accepts, for each secret', async () => {
    await using server = await startWebServer(answering(204))
    const secrets = [newSecret(), newSecret()]
    const one = call()

    await callHook(needs, overHttp(server.url, ...secrets), one)

    const { text, headers } = firstOf(server)
    const verified = (secret: string) =>
      new Webhook(secret.replace('v1,', '')).verify(text, headers)
    for (const secret of secrets) expect(verified(secret)).toEqual(JSON.parse(text))
    expect(() => verified(newSecret())).toThrow('No matching signature found')
    expect(headers['webhook-id']).toBe(one.id)
  })

  it('is asked with a signature that a public key verifies', async () => {
    await using server = await startWebServer(answering(204))
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = (key: string | undefined) => Buffer.from(key ?? '', 'base64url').toString('base64')
    const { x, d } = privateKey.export({ format: 'jwk' })
    const secret = `v1a,whpk_${raw(x)}:whsk_${raw(d)}`
    const clock = createTestClock()

    await callHook({ ...needs, clock }, overHttp(server.url, secret), call({ id: 'one' }))

    const { text, headers } = firstOf(server)
    const [version, signature = ''] = String(headers['webhook-signature']).split(',')
    const signed = Buffer.from(`one.${clock.now().getTime() / 1000}.${text}`)
    expect(version).toBe('v1a')
    expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64'))).toBe(true)
  })

  it('is asked unsigned without secrets', async () => {
    await using server = await startWebServer(answering(204))

    await callHook(needs, overHttp(server.url), call())

    expect(server.heard[0]?.headers).toMatchObject({ 'webhook-signature': '' })
  })
})

describe('the no of a hook', () => {
  const no =
    (error: object): Answer =>
    (response) =>
      answerJson(response, 200, { error })

  it.each([
    [{ http_code: 403, message: 'Only colleagues' }, '403 unknown: Only colleagues', true],
    [{ http_code: 429, message: 'Later' }, '429 unknown: Later', false],
    [{ http_code: 503, message: 'Later' }, '503 unknown: Later', false],
    [{ message: 'Broken' }, '500 unexpected_failure: Broken', false],
    [{ http_code: 200, message: 'Odd' }, '500 unexpected_failure: Odd', false],
    [{ http_code: '403', message: 'Odd' }, '500 unexpected_failure: Odd', false],
  ])('%j is %s', async (error, says, isFinal) => {
    expect(await refusal(no(error))).toEqual({ says, isFinal, times: 1 })
  })

  it.each([{ error: { http_code: 403, message: '' } }, { error: 'no' }, { error: null }])(
    'is not %j',
    async (output) => {
      await using server = await startWebServer((response) => answerJson(response, 202, output))

      expect(await callHook(needs, overHttp(server.url), call())).toEqual(output)
    },
  )
})

describe('a hook that does not work', () => {
  it.each([
    [400, '500 unexpected_failure: Invalid payload sent to hook', true],
    [401, '500 unexpected_failure: Hook requires authorization token', false],
    [404, '500 unexpected_failure: Unexpected status code returned from hook: 404', false],
    [422, '500 unexpected_failure: Unexpected status code returned from hook: 422', true],
    [429, '500 unexpected_failure: Service currently unavailable due to hook', false],
    [503, '500 unexpected_failure: Service currently unavailable due to hook', false],
    [500, '500 unexpected_failure: Unexpected status code returned from hook: 500', false],
    [302, '500 unexpected_failure: Unexpected status code returned from hook: 302', false],
  ])('because it answers %i, is %s', async (status, says, isFinal) => {
    expect(await refusal(answering(status, { location: '/' }))).toEqual({ says, isFinal, times: 1 })
  })

  it.each([
    ['text', 'text/plain', '{}'],
    ['something like JSON', 'application/jsonp', '{}'],
    ['nothing of any type', '', ''],
  ])('because it answers %s', async (_, type, body) => {
    const { says, isFinal, times } = await refusal(answering(200, { 'content-type': type }, body))

    expect([says.split(':')[0], isFinal, times]).toEqual([
      '400 hook_payload_invalid_content_type',
      true,
      1,
    ])
  })

  it.each(['', '{', '[]', 'null', '"yes"'])('because it answers %j', async (body) => {
    const { says } = await refusal(answering(200, json, body))

    expect(says).toBe('500 unexpected_failure: Error unmarshaling JSON output.')
  })

  it('because it answers too much', async () => {
    const body = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) })

    expect(await refusal(answering(200, json, body(204_801)))).toEqual({
      says: '422 hook_payload_over_size_limit: Payload size exceeded size limit of 204800 bytes',
      isFinal: true,
      times: 1,
    })
    await using server = await startWebServer(answering(200, json, body(204_800)))
    await expect(callHook(needs, overHttp(server.url), call())).resolves.toHaveProperty('a')
  })

  it('because it is slow', async () => {
    const slow: Answer = (response) => response.writeHead(200, json).write('{')

    expect(await refusal(slow, { ...needs, hookTimeoutMs: 100 })).toEqual({
      says: '422 hook_timeout: Failed to reach hook within maximum time of 0.100000 seconds',
      isFinal: false,
      times: 1,
    })
  })

  it('because its address may not be asked, of which it tells no secret', async () => {
    const hook = overHttp('http://93.184.216.34/hook?key=s3cret')

    await expect(callHook(needs, hook, call())).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(
        /^Error running hook: http:\/\/93\.184\.216\.34 may not be asked: [^?]*$/,
      ),
    })
  })
})

describe('the log', () => {
  const warnings: object[] = []
  const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) }

  it('tells the operator of a hook that does not work, and not of its no', async () => {
    await using server = await startWebServer(answering(200, { 'content-type': 'text/plain' }))
    const saysNo = inProcess(() => ({ error: { http_code: 403, message: 'No' } }))
    const isBroken = overHttp(`${server.url}/?key=s3cret`)

    await expect(callHook({ ...needs, logger }, saysNo, call())).rejects.toThrow('No')
    await expect(callHook({ ...needs, logger }, isBroken, call())).rejects.toThrow(AuthError)

    expect(warnings).toMatchObject([
      { hook: 'before-user-created', fault: { code: 'hook_payload_invalid_content_type' } },
    ])
    expect(JSON.stringify(warnings)).not.toContain('s3cret')
  })
})

describe('a second attempt', () => {
  it('follows one that reached nobody, and is the same call, signed anew', async () => {
    const clock = createTestClock(new Date())
    const secret = newSecret()
    await using server = await startWebServer((response) => {
      clock.advance(2)
      if (server.heard.length === 1) response.destroy()
      else answerJson(response, 200, { ok: true })
    })

    const output = await callHook({ ...needs, clock }, overHttp(server.url, secret), call())

    const [first, second] = server.heard
    expect(output).toEqual({ ok: true })
    expect(second?.text).toBe(first?.text)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(Number(second?.headers['webhook-timestamp'])).toBe(
      Number(first?.headers['webhook-timestamp']) + 2,
    )
    const headers = second?.headers as Record<string, string>
    new Webhook(secret.replace('v1,', '')).verify(second?.text ?? '', headers)
  })

  it('is the last', async () => {
    expect(await refusal((response) => response.destroy())).toEqual({
      says: '422 hook_timeout_after_retry: Failed to reach hook after maximum retries',
      isFinal: false,
      times: 2,
    })
  })

  it('is not begun without time left', async () => {
    const given = { ...needs, hookTimeoutMs: 500, hookPauseMs: 500 }

    expect(await refusal((response) => response.destroy(), given)).toHaveProperty('times', 1)
  })

  it.each([429, 503])('follows at once when %i asks for it', async (status) => {
    const busy = answering(status, { 'retry-after': 'true' })
    await using server = await startWebServer((response, heard) => {
      if (server.heard.length === 1) busy(response, heard)
      else response.writeHead(204).end()
    })

    await expect(
      callHook({ ...needs, hookPauseMs: 900 }, overHttp(server.url), call()),
    ).resolves.toEqual({})
    expect(await refusal(busy)).toEqual({
      says: '500 unexpected_failure: Service currently unavailable due to hook',
      isFinal: false,
      times: 2,
    })
  })

  it('shares the time of the first', async () => {
    const slow: Answer = (response) => {
      setTimeout(() => response.writeHead(503, { 'retry-after': '1' }).end(), 120)
    }

    const { says } = await refusal(slow, { ...needs, hookTimeoutMs: 200 })

    expect(says).toMatch(/^422 hook_timeout:/)
  })
})

describe('a hook in the same process', () => {
  it('gets the payload, and answers at once or later', async () => {
    const payloads: unknown[] = []
    const hook = inProcess(async (payload) => {
      payloads.push(payload)
      return { claims: {} }
    })

    const output = await callHook(needs, hook, call())

    expect(output).toEqual({ claims: {} })
    expect(payloads).toMatchObject([
      { metadata: { name: 'before-user-created' }, user: { id: 'u1' } },
    ])
  })

  it('may say nothing', async () => {
    expect(
      await callHook(
        needs,
        inProcess(() => undefined),
        call(),
      ),
    ).toEqual({})
  })

  it('says no as on the wire, or by throwing', async () => {
    const byAnswer = inProcess(() => ({ error: { http_code: 403, message: 'No' } }))
    const byThrowing = inProcess(() => {
      throw new AuthError('signup_disabled', 422, 'No')
    })

    expect(await askHook(needs, byAnswer, call())).toMatchObject({
      error: { status: 403, message: 'No' },
      isFinal: true,
    })
    expect(await askHook(needs, byThrowing, call())).toMatchObject({
      error: { code: 'signup_disabled', status: 422 },
      isFinal: true,
    })
  })

  it('fails with its own fault, with an odd answer, or when it takes too long', async () => {
    const fault = new TypeError('a defect')
    const broken = inProcess(() => Promise.reject(fault))
    const odd = inProcess(() => 'yes')
    const slow = inProcess(() => new Promise(() => {}))

    expect(await askHook(needs, broken, call())).toEqual({ error: fault, isFinal: false })
    await expect(callHook(needs, odd, call())).rejects.toMatchObject({ status: 500 })
    await expect(callHook({ ...needs, hookTimeoutMs: 30 }, slow, call())).rejects.toMatchObject({
      code: 'hook_timeout',
    })
  })
})
