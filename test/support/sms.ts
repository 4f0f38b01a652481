import { isCarrierRejection } from '../../src/delivery/carriers/carrier.ts'
import type { RenderedSms } from '../../src/delivery/sms/sms.ts'
import type { WebServer } from './web-server.ts'

export const sms: RenderedSms = {
  to: '15005550001',
  code: '123456',
  channel: 'sms',
  text: 'Your code is 123456',
}

export const delivery = {
  id: '018f0000-0000-7000-8000-000000000001',
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
}

/** Returns the last request to a carrier: its URL, credentials, and form, letter by letter. */
export function requestedOf({ heard }: WebServer) {
  const { method, path, headers, text } = heard.at(-1) ?? { headers: {} }
  const { authorization, 'content-type': type } = headers
  return { request: `${method} ${path}`, type, authorization, form: text }
}

/** Returns the rejection by a carrier; fails when there was none. */
export async function rejectionOf(sending: Promise<unknown>) {
  try {
    await sending
  } catch (error) {
    if (isCarrierRejection(error)) return { reason: error.message, isFinal: error.isFinal }
    throw error
  }
  throw new Error('it was sent')
}
