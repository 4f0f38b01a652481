import { expect, it } from 'vitest'
import { noDatabase } from '../../../test/support/no-database.ts'
import { answerJson, startWebServer } from '../../../test/support/web-server.ts'
import type { HookFunction, ResolvedHook } from '../../platform/config/sections/hooks.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { isCarrierRejection } from '../carriers/carrier.ts'
import { sendThroughHook } from './send-through-hook.ts'

const needs = { clock: systemClock, database: noDatabase, hookPauseMs: 10, hookTimeoutMs: 500 }
const delivery = {
  id: '018f0000-0000-7000-8000-000000000001',
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
}
const sms = {
  user: { id: 'u1', phone: '15005550001' },
  sms: { otp: '123456', phone: '15005550001', sms_type: 'mfa' },
}

const hookAt = (uri: string): ResolvedHook => ({ enabled: true, uri, secrets: [], run: null })
const hookOf = (run: HookFunction): ResolvedHook => ({ ...hookAt(''), uri: null, run })

/** Returns the rejection that the sender receives. */
async function rejection(hook: ResolvedHook) {
  const sending = sendThroughHook(needs, 'sendSms', hook).send(sms, delivery)
  const error = await sending.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!isCarrierRejection(error)) throw error
  return { reason: error.message, isFinal: error.isFinal }
}

it('passes the message on with the id of its delivery, at each attempt', async () => {
  await using server = await startWebServer((response) => answerJson(response, 200, {}))
  const carrier = sendThroughHook(needs, 'sendSms', hookAt(server.url))

  const sent = await carrier.send(sms, delivery)
  await carrier.send(sms, delivery)

  const [first, second] = server.heard
  expect(sent).toEqual({ carrierMessageId: null })
  expect(first?.headers['webhook-id']).toBe(delivery.id)
  expect(second?.text).toBe(first?.text)
  expect(JSON.parse(first?.text ?? '')).toEqual({
    metadata: { uuid: delivery.id, time: '2026-03-01T12:00:00.000Z', name: 'send-sms' },
    ...sms,
  })
})

it('identifies mails by name', async () => {
  const names: unknown[] = []
  const hook = hookOf(({ metadata }) => {
    names.push(metadata)
  })

  await sendThroughHook(needs, 'sendEmail', hook).send({ user: {}, email_data: {} }, delivery)

  expect(names).toMatchObject([{ name: 'send-email' }])
})

it.each([
  [403, 'Not to these', true],
  [429, 'Later', false],
  [500, 'Broken', false],
])("treats a hook's rejection with %i as final or not", async (code, message, isFinal) => {
  const hook = hookOf(() => ({ error: { http_code: code, message } }))

  expect(await rejection(hook)).toEqual({ reason: message, isFinal })
})

it('retries a message that the hook did not receive', async () => {
  await using busy = await startWebServer((response) => response.writeHead(503).end())
  await using slow = await startWebServer(() => {})

  expect(await rejection(hookAt(busy.url))).toHaveProperty('isFinal', false)
  expect(await rejection(hookAt(slow.url))).toHaveProperty('isFinal', false)
})

it("removes numbers and addresses from a hook's message", async () => {
  const message = 'Cannot reach +1 500 555 0001 or ada@mail.example'
  const hook = hookOf(() => ({ error: { http_code: 422, message } }))

  expect(await rejection(hook)).toEqual({ reason: 'Cannot reach … or …', isFinal: true })
})

it('does not convert a fault of the function', async () => {
  const defect = new TypeError('a defect')
  const hook = hookOf(() => Promise.reject(defect))

  await expect(sendThroughHook(needs, 'sendSms', hook).send(sms, delivery)).rejects.toBe(defect)
})
