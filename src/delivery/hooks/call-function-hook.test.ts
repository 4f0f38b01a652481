import { describe, expect, it } from 'vitest'
import { hookCall, hookNeeds, inProcess } from '../../../test/support/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { callHook, requestHook } from './call-hook.ts'

describe('a hook in the same process', () => {
  it('receives the payload, and responds synchronously or later', async () => {
    const payloads: unknown[] = []
    const hook = inProcess(async (payload) => {
      payloads.push(payload)
      return { error: null } as never
    })

    const output = await callHook(hookNeeds, hook, hookCall())

    expect(output).toEqual({ error: null })
    expect(payloads).toMatchObject([
      { metadata: { name: 'before-user-created' }, user: { id: 'u1' } },
    ])
  })

  it('may change its argument, which is a copy', async () => {
    const call = hookCall()
    const before = structuredClone(call)
    const hook = inProcess((payload) => {
      Object.assign((payload as { user: object }).user, { id: 'u2' })
    })

    await callHook(hookNeeds, hook, call)

    expect(call).toEqual(before)
  })

  it('controls no response headers except a number of seconds', async () => {
    const refusing = (retryAfterSeconds: unknown) =>
      inProcess(() => {
        const details = { retryAfterSeconds, allowedMethods: ['GET\r\nx: y'], stepUp: 'enroll' }
        throw new AuthError('over_request_rate_limit', 429, 'No', details as never)
      })
    const detailsOf = async (retryAfterSeconds: unknown) => {
      const outcome = await requestHook(hookNeeds, refusing(retryAfterSeconds), hookCall())
      return 'error' in outcome && (outcome.error as AuthError).details
    }

    expect(await detailsOf(60)).toMatchObject({ retryAfterSeconds: 60, stepUp: 'enroll' })
    for (const wrong of ['1\r\nx: y', Number.NaN, -1, {}]) {
      expect(await detailsOf(wrong)).toEqual({ stepUp: 'enroll', isHookMessage: true })
    }
  })

  it('may return nothing', async () => {
    expect(
      await callHook(
        hookNeeds,
        inProcess(() => undefined),
        hookCall(),
      ),
    ).toEqual({})
  })

  it('rejects as on the wire, or by an exception', async () => {
    const byAnswer = inProcess(() => ({ error: { http_code: 403, message: 'No' } }))
    const byThrowing = inProcess(() => {
      throw new AuthError('signup_disabled', 422, 'No')
    })

    expect(await requestHook(hookNeeds, byAnswer, hookCall())).toMatchObject({
      error: { status: 403, message: 'No' },
      isFinal: true,
    })
    expect(await requestHook(hookNeeds, byThrowing, hookCall())).toMatchObject({
      error: { code: 'signup_disabled', status: 422 },
      isFinal: true,
    })
  })

  it.each([200, 204, 302, 99, 1000, Number.NaN])(
    'does not reject with the status %s',
    async (status) => {
      const hook = inProcess(() => {
        throw new AuthError('signup_disabled', status, 'No')
      })

      await expect(callHook(hookNeeds, hook, hookCall())).rejects.toMatchObject({ status: 500 })
    },
  )

  it("is limited to a thousand characters in a rejection's message", async () => {
    const hook = inProcess(() => ({ error: { http_code: 403, message: 'x'.repeat(200_000) } }))

    await expect(callHook(hookNeeds, hook, hookCall())).rejects.toMatchObject({
      status: 403,
      message: 'x'.repeat(1000),
    })
  })

  it('fails by its own fault, an invalid response or a timeout', async () => {
    const fault = new TypeError('a defect')
    const broken = inProcess(() => Promise.reject(fault))
    const odd = inProcess(() => 'yes' as never)
    const slow = inProcess(() => new Promise(() => {}))

    expect(await requestHook(hookNeeds, broken, hookCall())).toEqual({
      error: fault,
      isFinal: false,
    })
    await expect(callHook(hookNeeds, odd, hookCall())).rejects.toMatchObject({ status: 500 })
    await expect(
      callHook({ ...hookNeeds, hookTimeoutMs: 30 }, slow, hookCall()),
    ).rejects.toMatchObject({
      code: 'hook_timeout',
      message: 'The hook did not return within 0.03 seconds',
    })
  })
})
