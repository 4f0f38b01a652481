import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { carrierRejection } from '../carriers/carrier.ts'
import { type CarrierAccess, firstOf, postForm, rejection, textOf } from './post-form.ts'
import type { SmsCarrier } from './sms.ts'

export interface VonageSettings {
  apiKey: string
  apiSecret: string
  /** The sender. */
  from: string
}

/** Temporary errors: too many requests, and an internal error. */
const passing = ['1', '5']

/** @see https://developer.vonage.com/api/sms */
export function openVonage(
  { apiKey, apiSecret, from }: VonageSettings,
  access: CarrierAccess,
): SmsCarrier {
  const { baseUrl = 'https://rest.nexmo.com' } = access
  const constants = { api_key: apiKey, api_secret: apiSecret, from }
  return {
    send: async ({ to, text }) => {
      const fields = { ...constants, to, text, ...(!isAscii(text) && { type: 'unicode' }) }
      const answer = await postForm({ url: `${baseUrl}/sms/json`, fields }, access)
      const message = firstOf(answer.json.messages)
      const [status, id] = [textOf(message.status), textOf(message['message-id'])]
      if (status === '') throw rejection('vonage error: Internal Error', answer.status)
      if (status !== '0') {
        const reason = `${textOf(message['error-text'])} (status: ${status}) for message ${id}`
        const isFinal = !passing.includes(status)
        throw carrierRejection(hideAddresses(`vonage error: ${reason}`), { isFinal })
      }
      return { carrierMessageId: id || null }
    },
  }
}

const isAscii = (text: string): boolean => !/[^\p{ASCII}]/u.test(text)
