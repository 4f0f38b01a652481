import { type CarrierAccess, type CarrierAnswer, postForm, refusal, textOf } from './post-form.ts'

export interface TwilioAccount {
  accountSid: string
  authToken: string
}

/** Posts to Twilio, for both of its carriers. Returns responses of any status. */
export const postToTwilio = (
  { accountSid, authToken }: TwilioAccount,
  url: string,
  fields: Readonly<Record<string, string>>,
  access: CarrierAccess,
): Promise<CarrierAnswer> => {
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  return postForm({ url, authorization: `Basic ${credentials}`, fields }, access)
}

export const isTaken = ({ status }: CarrierAnswer): boolean => status === 200 || status === 201

/** Converts Twilio's response to a rejected request. */
export function twilioRefusal({ status, json }: CarrierAnswer): Error {
  const message = textOf(json.message) || `twilio error: status ${status}`
  const more = textOf(json.more_info)
  return refusal(more ? `${message} More information: ${more}` : message, status)
}
