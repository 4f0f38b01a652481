import type { AuthConfig } from '../../src/platform/config/config.ts'
import {
  type Answer,
  requestMethods,
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from './test-auth.ts'

/** A delivered message. */
export interface DeliveredMessage {
  to: string
  /** The purpose of the link, or `sms`. */
  type: string
  /** The code that the recipient enters. */
  code: string
  /** The secret in the link; empty in an SMS. */
  hash: string
  /** The redirect target of the link. */
  redirectTo: string
}

/**
 * A Latchkey whose messages are sent by the application, so that tests read them. A response is
 * returned once its messages are sent, so that messages of two requests keep their order.
 */
export interface MessagingAuth extends TestAuth {
  /** Returns every message to an address, the oldest first, once all are sent. */
  messagesTo(address: string): Promise<DeliveredMessage[]>
  /** Returns the latest message to an address. Throws when there is none. */
  messageTo(address: string): Promise<DeliveredMessage>
  /** Follows a mail's link as a browser does, and submits the form of its page. */
  follow(message: DeliveredMessage): Promise<FollowedLink>
}

/** The result of a link. */
export interface FollowedLink {
  answer: Answer
  /** Null without a redirect. */
  url: URL | null
  /** The parameters of the fragment. */
  fragment: URLSearchParams
}

/**
 * Starts a service that requires confirmation of addresses, unless the configuration overrides it.
 */
export async function startMessagingAuth(
  config: AuthConfig = {},
  world: Parameters<typeof startTestAuth>[1] = {},
): Promise<MessagingAuth> {
  const sent: DeliveredMessage[] = []
  const hooks: AuthConfig['hooks'] = {
    sendEmail: async (payload) => void sent.push(...mailsOf(payload as unknown as MailPayload)),
    sendSms: async (payload) => void sent.push(smsOf(payload as unknown as SmsPayload)),
    ...config.hooks,
  }
  const auth = await startTestAuth({ ...withoutAutoconfirm, ...config, hooks }, world)
  const settled = async () => (await auth.deps()).outbox.settled()
  const request: TestAuth['request'] = async (...requested) => {
    const answer = await auth.request(...requested)
    await settled()
    return answer
  }
  const messagesTo = async (address: string) => {
    await settled()
    return sent.filter(({ to }) => to === address)
  }
  return {
    ...auth,
    ...requestMethods(request),
    messagesTo,
    messageTo: async (address) => {
      const latest = (await messagesTo(address)).at(-1)
      if (!latest) throw new Error(`nothing was sent to ${address}`)
      return latest
    },
    follow: async ({ hash, type, redirectTo }) => {
      const query = new URLSearchParams({ token: hash, type, redirect_to: redirectTo })
      const opened = await request('GET', `/verify?${query}`)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const isPage = opened.status === 200
      const answer = isPage
        ? await request('POST', '/verify?', { body: `${query}`, headers })
        : opened
      const location = answer.headers.get('location')
      const url = location === null ? null : new URL(location)
      return { answer, url, fragment: new URLSearchParams(url?.hash.slice(1)) }
    },
  }
}

interface MailPayload {
  user: { email: string; new_email?: string }
  email_data: Record<
    'token' | 'token_hash' | 'token_new' | 'token_hash_new' | 'redirect_to' | 'email_action_type',
    string
  > & { old_email: string }
}

/**
 * Returns the mails of a payload. A change of address has one payload for both addresses, with
 * swapped hashes.
 */
function mailsOf({ user, email_data: data }: MailPayload): DeliveredMessage[] {
  const { email_action_type: type, redirect_to: redirectTo } = data
  const mail = (to: string, code: string, hash: string) => ({ to, type, code, hash, redirectTo })
  if (type !== 'email_change')
    return [mail(data.old_email || user.email, data.token, data.token_hash)]
  const { new_email: newEmail = '' } = user
  if (!data.token_new) {
    return data.token_hash_new
      ? [mail(user.email, data.token, data.token_hash_new)]
      : [mail(newEmail, data.token, data.token_hash)]
  }
  return [
    mail(newEmail, data.token_new, data.token_hash),
    mail(user.email, data.token, data.token_hash_new),
  ]
}

interface SmsPayload {
  sms: { phone: string; otp: string }
}

const smsOf = ({ sms }: SmsPayload): DeliveredMessage => ({
  to: sms.phone,
  type: 'sms',
  code: sms.otp,
  hash: '',
  redirectTo: '',
})
