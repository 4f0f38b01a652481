import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import type { Carrier } from '../carriers/carrier.ts'
import type { Mail } from '../mail/mail.ts'
import type { Sms } from '../sms/sms.ts'

/** The payload of a hook, in wire form. */
export type HookPayload = Readonly<Record<string, unknown>>

/**
 * The content of each channel. Hooks of the application replace mail and SMS carriers; others
 * receive users and events. OAuth clients receive the end of their sessions.
 */
export interface MessageOf {
  email: Mail
  sms: Sms
  email_hook: HookPayload
  sms_hook: HookPayload
  user_hook: HookPayload
  events: HookPayload
  oauth_logout: HookPayload
}

export const channels = [
  'email',
  'sms',
  'email_hook',
  'sms_hook',
  'user_hook',
  'events',
  'oauth_logout',
] as const

export type Channel = (typeof channels)[number]

/** The hook that receives the messages of each channel; null for a channel of another carrier. */
export const hookOfChannel = {
  email: null,
  sms: null,
  email_hook: 'sendEmail',
  sms_hook: 'sendSms',
  user_hook: 'afterUserCreated',
  events: 'events',
  oauth_logout: null,
} as const satisfies Readonly<Record<Channel, HookPoint | null>>

/** A channel whose messages a hook receives. */
export type HookChannel = {
  [channel in Channel]: (typeof hookOfChannel)[channel] extends null ? never : channel
}[Channel]

/** Channels with ordered messages per recipient: each waits for the result of the previous one. */
export const channelsInOrder: readonly Channel[] = ['events']

/** A message as data; a carrier turns it into text. */
export type Message = {
  [channel in Channel]: { channel: channel; content: MessageOf[channel] }
}[Channel]

/**
 * The content to send: a mail, an SMS, or the payload of the application's hook without `metadata`.
 */
export type MessagePreview =
  | { subject: string; html: string; text: string }
  | { text: string }
  | { payload: HookPayload }

/** A channel's sender: renders messages and passes them to a carrier. */
export interface Outlet<Content> extends Carrier<Content> {
  /** Returns the content that `send` would send. */
  preview(content: Content): Promise<MessagePreview>
}

/** The senders of all channels; null without a carrier. */
export type Carriers = { [channel in Channel]: Outlet<MessageOf[channel]> | null }

/** Waiting for a carrier, being sent, accepted by a carrier, or failed finally. */
export const outboxStatuses = ['waiting', 'sending', 'sent', 'failed'] as const

export type OutboxStatus = (typeof outboxStatuses)[number]
