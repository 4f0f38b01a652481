import type { Carrier } from '../carrier.ts'
import type { Mail } from '../email/mail.ts'
import type { Sms } from '../sms/sms.ts'

/** What a hook is sent, in the form of the wire. */
export type HookPayload = Readonly<Record<string, unknown>>

/** What each way out carries. Where the application sends for itself, its hook takes the place. */
export interface MessageOf {
  email: Mail
  sms: Sms
  email_hook: HookPayload
  sms_hook: HookPayload
}

export const channels = ['email', 'sms', 'email_hook', 'sms_hook'] as const

export type Channel = (typeof channels)[number]

/** A message as data; a carrier turns it into text. */
export type Message = {
  [channel in Channel]: { channel: channel; content: MessageOf[channel] }
}[Channel]

/** Who takes what; null where nobody does. */
export type Carriers = { [channel in Channel]: Carrier<MessageOf[channel]> | null }
