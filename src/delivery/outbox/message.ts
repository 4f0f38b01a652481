import type { Carrier } from '../carriers/carrier.ts'
import type { Mail } from '../mail/mail.ts'
import type { Sms } from '../sms/sms.ts'

/** What a hook is sent, in the form of the wire. */
export type HookPayload = Readonly<Record<string, unknown>>

/** What each way out carries. Where the application sends for itself, its hook takes the place; others hear of users. */
export interface MessageOf {
  email: Mail
  sms: Sms
  email_hook: HookPayload
  sms_hook: HookPayload
  user_hook: HookPayload
  events: HookPayload
}

export const channels = ['email', 'sms', 'email_hook', 'sms_hook', 'user_hook', 'events'] as const

export type Channel = (typeof channels)[number]

/** Those whose messages to one recipient arrive in order: one waits until the one before it is settled. */
export const channelsInOrder: readonly Channel[] = ['events']

/** A message as data; a carrier turns it into text. */
export type Message = {
  [channel in Channel]: { channel: channel; content: MessageOf[channel] }
}[Channel]

/** What would be sent: a mail, an SMS, or what the application's hook is told beside `metadata`. */
export type MessagePreview =
  | { subject: string; html: string; text: string }
  | { text: string }
  | { payload: HookPayload }

/** A way out: makes text of messages, and hands it to a carrier. */
export interface Outlet<Content> extends Carrier<Content> {
  /** What `send` would hand over. */
  preview(content: Content): Promise<MessagePreview>
}

/** Who takes what; null where nobody does. */
export type Carriers = { [channel in Channel]: Outlet<MessageOf[channel]> | null }

/** Waiting for a carrier, being handed to one, taken by one, or given up. */
export const outboxStatuses = ['waiting', 'sending', 'sent', 'failed'] as const

export type OutboxStatus = (typeof outboxStatuses)[number]
