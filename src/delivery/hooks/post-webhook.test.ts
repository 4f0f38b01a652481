import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import {
  hookCall,
  hookNeeds,
  hookRejection,
  newHookSecret,
  overHttp,
} from '../../../test/support/hooks.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import {
  answering,
  answerJson,
  type ServerAnswer,
  startWebServer,
} from '../../../test/support/web-server.ts'
import { callHook } from './call-hook.ts'

describe('another attempt', () => {
  it('follows an unreachable hook, and is the same call with a new signature', async () => {
    const clock = createTestClock(new Date())
    const secret = newHookSecret()
    await using server = await startWebServer((response) => {
      clock.advance(2)
      if (server.heard.length === 1) response.destroy()
      else answerJson(response, 200, { error: null })
    })

    const output = await callHook({ ...hookNeeds, clock }, overHttp(server.url, secret), hookCall())

    const [first, second] = server.heard
    expect(output).toEqual({ error: null })
    expect(second?.text).toBe(first?.text)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(Number(second?.headers['webhook-timestamp'])).toBe(
      Number(first?.headers['webhook-timestamp']) + 2,
    )
    const headers = second?.headers as Record<string, string>
    new Webhook(secret.replace('v1,', '')).verify(second?.text ?? '', headers)
  })

  it('is made at most twice', async () => {
    expect(await hookRejection((response) => response.destroy())).toEqual({
      described: '422 hook_timeout_after_retry: Failed to reach hook after maximum retries',
      isFinal: false,
      times: 3,
    })
  })

  it('is not begun without remaining time', async () => {
    const given = { ...hookNeeds, hookTimeoutMs: 500, hookPauseMs: 500 }

    expect(await hookRejection((response) => response.destroy(), given)).toHaveProperty('times', 1)
  })

  it.each([429, 503])('follows at once if %i requests it', async (status) => {
    const busy = answering(status, { 'retry-after': 'true' })
    await using server = await startWebServer((response, heard) => {
      if (server.heard.length === 1) busy(response, heard)
      else response.writeHead(204).end()
    })

    await expect(
      callHook({ ...hookNeeds, hookPauseMs: 900 }, overHttp(server.url), hookCall()),
    ).resolves.toEqual({})
    expect(await hookRejection(busy)).toEqual({
      described: '500 unexpected_failure: Service currently unavailable due to hook',
      isFinal: false,
      times: 3,
    })
  })

  it('shares the time limit of the first', async () => {
    const slow: ServerAnswer = (response) => {
      setTimeout(() => response.writeHead(503, { 'retry-after': '1' }).end(), 120)
    }

    const { described } = await hookRejection(slow, { ...hookNeeds, hookTimeoutMs: 200 })

    expect(described).toMatch(/^422 hook_timeout:/)
  })
})
