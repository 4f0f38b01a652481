import {
  type CarrierAccess,
  firstOf,
  type JsonObject,
  postForm,
  rejection,
  textOf,
} from './post-form.ts'
import type { RenderedSms, SmsCarrier } from './sms.ts'

export interface TextlocalSettings {
  apiKey: string
  sender: string
}

/** The text matches none of the sender's registered templates. */
const unknownTemplate = '80'

/** @see https://api.textlocal.in/docs/sendsms */
export function openTextlocal(
  { apiKey, sender }: TextlocalSettings,
  access: CarrierAccess,
): SmsCarrier {
  const { baseUrl = 'https://api.textlocal.in' } = access
  const url = `${baseUrl}/send`
  return {
    send: async (sms) => {
      const fields = { apikey: apiKey, sender, message: sms.text, numbers: sms.to }
      const { status, json } = await postForm({ url, fields }, access)
      if (json.status !== 'success') throw rejection(reasonOf(json, sms), status)
      return { carrierMessageId: null }
    },
  }
}

function reasonOf({ errors, messages }: JsonObject, sms: RenderedSms): string {
  const { message, code } = firstOf(errors)
  const id = textOf(firstOf(messages).id)
  const reason = `textlocal error: ${textOf(message)} (code: ${textOf(code)}) message ${id}`
  if (textOf(code) !== unknownTemplate) return reason
  return `${reason} template message: ${sms.text.replaceAll(sms.code, '…')}`
}
