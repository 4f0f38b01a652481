import { generateKeyPairSync, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import {
  hookCall,
  hookNeeds,
  inProcess,
  newHookSecret,
  overHttp,
} from '../../../test/support/hooks.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import {
  answering,
  answerJson,
  startWebServer,
  type WebServer,
} from '../../../test/support/web-server.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { callHook } from './call-hook.ts'

/** Returns the server's first request, in the types of the verifying library. */
function firstOf({ heard: [first] }: WebServer) {
  if (!first) throw new Error('no request was received')
  return { text: first.text, headers: first.headers as Record<string, string> }
}

describe('a hook over HTTP', () => {
  it('receives the payload with its metadata, and its response is used', async () => {
    await using server = await startWebServer((response) =>
      answerJson(response, 200, { error: null }),
    )
    const one = hookCall()

    const output = await callHook(hookNeeds, overHttp(`${server.url}/hooks/a?b=c`), one)

    expect(output).toEqual({ error: null })
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

  it('omits an unknown address', async () => {
    await using server = await startWebServer(answering(204))

    const output = await callHook(hookNeeds, overHttp(server.url), hookCall({ ip: null }))

    expect(output).toEqual({})
    expect(JSON.parse(server.heard[0]?.text ?? '').metadata).not.toHaveProperty('ip_address')
  })

  it('receives a signature that the library of the standard accepts, for each secret', async () => {
    await using server = await startWebServer(answering(204))
    const secrets = [newHookSecret(), newHookSecret()]
    const one = hookCall()

    await callHook(hookNeeds, overHttp(server.url, ...secrets), one)

    const { text, headers } = firstOf(server)
    const verified = (secret: string) =>
      new Webhook(secret.replace('v1,', '')).verify(text, headers)
    for (const secret of secrets) expect(verified(secret)).toEqual(JSON.parse(text))
    expect(() => verified(newHookSecret())).toThrow('No matching signature found')
    expect(headers['webhook-id']).toBe(one.id)
  })

  it('receives a signature that a public key verifies', async () => {
    await using server = await startWebServer(answering(204))
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = (key: string | undefined) => Buffer.from(key ?? '', 'base64url').toString('base64')
    const { x, d } = privateKey.export({ format: 'jwk' })
    const secret = `v1a,whpk_${raw(x)}:whsk_${raw(d)}`
    const clock = createTestClock()

    await callHook({ ...hookNeeds, clock }, overHttp(server.url, secret), hookCall({ id: 'one' }))

    const { text, headers } = firstOf(server)
    const [version, signature = ''] = String(headers['webhook-signature']).split(',')
    const signed = Buffer.from(`one.${clock.now().getTime() / 1000}.${text}`)
    expect(version).toBe('v1a')
    expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64'))).toBe(true)
  })

  it('receives unsigned requests without secrets', async () => {
    await using server = await startWebServer(answering(204))

    await callHook(hookNeeds, overHttp(server.url), hookCall())

    expect(server.heard[0]?.headers).toMatchObject({ 'webhook-signature': '' })
  })
})

describe('the log', () => {
  const entries: object[] = []
  const noting = (level: string) => (fields: object) => void entries.push({ level, ...fields })
  const logger = { ...silentLogger, warn: noting('warn'), error: noting('error') }

  it('reports a failing hook to the operator by its status, and not its rejection', async () => {
    await using server = await startWebServer(answering(200, { 'content-type': 'text/plain' }))
    const rejecting = inProcess(() => ({ error: { http_code: 403, message: 'No' } }))
    await using failing = await startWebServer(answering(500))
    const isBroken = overHttp(`${server.url}/?key=s3cret`)

    await expect(callHook({ ...hookNeeds, logger }, rejecting, hookCall())).rejects.toThrow('No')
    await expect(callHook({ ...hookNeeds, logger }, isBroken, hookCall())).rejects.toThrow(
      AuthError,
    )

    await expect(
      callHook({ ...hookNeeds, logger }, overHttp(failing.url), hookCall()),
    ).rejects.toThrow(AuthError)

    expect(entries).toMatchObject([
      {
        level: 'warn',
        requestId: 'request-1',
        hook: 'before-user-created',
        fault: { code: 'hook_payload_invalid_content_type' },
      },
      { level: 'error', fault: { message: 'Unexpected status code returned from hook: 500' } },
    ])
    expect(JSON.stringify(entries)).not.toContain('s3cret')
  })
})
