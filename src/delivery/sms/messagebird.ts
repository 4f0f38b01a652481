import { asObject, type CarrierAccess, firstOf, postForm, rejection, textOf } from './post-form.ts'
import type { SmsCarrier } from './sms.ts'

export interface MessagebirdSettings {
  accessKey: string
  /** The sender. */
  originator: string
}

const refusing = [400, 401, 403, 422]

/** @see https://developers.messagebird.com/api/sms-messaging */
export function openMessagebird(
  { accessKey, originator }: MessagebirdSettings,
  access: CarrierAccess,
): SmsCarrier {
  const { baseUrl = 'https://rest.messagebird.com' } = access
  const target = { url: `${baseUrl}/messages`, authorization: `AccessKey ${accessKey}` }
  const constants = { originator, type: 'sms', datacoding: 'unicode' }
  return {
    send: async ({ to, text }) => {
      const fields = { ...constants, body: text, recipients: to }
      const { status, json } = await postForm({ ...target, fields }, access)
      if (refusing.includes(status)) {
        const description = textOf(firstOf(json.errors).description)
        throw rejection(description || `messagebird error: status ${status}`, status)
      }
      if (!(Number(asObject(json.recipients).totalSentCount) > 0)) {
        throw rejection('messagebird error: total sent count is 0', status)
      }
      return { carrierMessageId: textOf(json.id) || null }
    },
  }
}
