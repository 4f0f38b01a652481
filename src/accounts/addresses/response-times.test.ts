import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { createResponseTimes } from './response-times.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
  await auth.rows(`create function public.delay_message() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.08); return new; end $$`)
})
afterAll(() => auth.close())

const took = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

describe('S112: requests for messages', () => {
  it.each([
    ['/otp', {}],
    ['/magiclink', {}],
    ['/recover', {}],
    ['/resend', { type: 'signup' }],
  ])('%s takes as long for an unknown address as for a known one', async (path, body) => {
    const { id, email } = await auth.given.user(`known-${path.slice(1)}@example.test`)
    await auth.rows('update auth.users set email_confirmed_at = null where id = $1', [id])
    await auth.rows(`create or replace trigger delay before insert on auth.outbox_messages
      for each row when (new.user_id = '${id}') execute function public.delay_message()`)
    const unknown = `unknown-${path.slice(1)}@example.test`

    const forKnown = await took(() => auth.post(path, { ...body, email }))
    const forUnknown = await took(() => auth.post(path, { ...body, email: unknown }))
    const answer = await auth.post(path, { ...body, email: `other-${unknown}` })

    expect(answer.status).toBe(200)
    expect(forKnown).toBeGreaterThanOrEqual(80)
    expect(forUnknown).toBeGreaterThanOrEqual(80)
  })
})

describe('the time of responses', () => {
  it('is that of the slower kind and a quarter more, and of each request separately', async () => {
    const times = createResponseTimes()
    const request = (kind: 'otp' | 'recover', hasUser: boolean, ms: number) =>
      times.conceal(kind, async (noteUser) => {
        noteUser(hasUser)
        await sleep(ms)
        return hasUser
      })
    const first = await request('otp', true, 40)

    const elapsed = await took(() => request('otp', false, 0))
    await request('recover', false, 0)

    expect(first).toBe(true)
    // A timer of Node may end a moment early.
    expect(elapsed).toBeGreaterThanOrEqual(1.25 * 39)
  })

  it('is not awaited after an error', async () => {
    const times = createResponseTimes()
    for (const hasUser of [true, false]) {
      await times.conceal('otp', async (noteUser) => {
        noteUser(hasUser)
        await sleep(20)
      })
    }

    const rejected = times.conceal('otp', () => Promise.reject(new Error('over a limit')))
    const first = await Promise.race([
      rejected.catch(({ message }) => message),
      // No timer runs before it.
      new Promise((resolve) => setImmediate(resolve, 'delayed')),
    ])

    expect(first).toBe('over a limit')
  })
})
