import { setTimeout as sleep } from 'node:timers/promises'
import type { SendSmsPayload } from '../../src/platform/config/sections/hooks.ts'
import { serviceToken } from './ask.ts'
import { confirmationForm } from './confirmation-page.ts'
import { createTestDatabase } from './database.ts'
import { newHookSecret } from './hooks.ts'
import { frozenVariable, type ServerProcess, startServer } from './server-process.ts'
import { type ReceivedMail, startSmtpServer } from './smtp-server.ts'
import {
  type ClientOptions,
  type Landing,
  landOn,
  openClient,
  type RecordingClient,
} from './supabase-client.ts'
import { answerJson, type Heard, startWebServer } from './web-server.ts'

/** A mail as its recipient reads it. */
export interface ReadMail {
  to: string
  subject: string
  /** Null where the mail contains none. */
  code: string | null
  /** Empty where the mail contains none. */
  link: string
  /** The secret in the link. */
  tokenHash: string
}

/** `latchkey serve` that sends mails to a mail server and SMS to a hook, each on its own socket. */
export interface MessageServer {
  client(options?: ClientOptions): RecordingClient
  /** Creates an operator's client. */
  operator(): RecordingClient['admin']
  /** Returns the next mail to this address. */
  mailTo(address: string): Promise<ReadMail>
  /** Returns the code of the next SMS to this number, without `+`. */
  codeTo(phone: string): Promise<string>
  /**
   * Follows a link to its redirect, past the page that confirms linking, and returns the target.
   */
  follow(link: string): Promise<string>
  /** Follows a link into a page with the client. */
  land(link: string, options?: ClientOptions): Promise<Landing>
  /** Returns the number of mails received for these addresses. */
  countMailsTo(...addresses: string[]): number
  close(): Promise<void>
}

const externalUrl = 'https://auth.example.test'

export async function startMessageServer(env: Record<string, string> = {}): Promise<MessageServer> {
  const database = await createTestDatabase()
  const smtp = await startSmtpServer()
  const sms = await startWebServer((response) => answerJson(response, 200, {}))
  const server: ServerProcess = await startServer(database.url, {
    AUTH_API_EXTERNAL_URL: externalUrl,
    AUTH_MAILER_AUTOCONFIRM: 'false',
    AUTH_SMTP_HOST: 'localhost',
    AUTH_SMTP_PORT: String(smtp.port),
    AUTH_SMTP_ADMIN_EMAIL: 'auth@example.test',
    AUTH_SMTP_MAX_FREQUENCY: '0',
    AUTH_EXTERNAL_PHONE_ENABLED: 'true',
    AUTH_SMS_MAX_FREQUENCY: '0',
    AUTH_HOOK_SEND_SMS_ENABLED: 'true',
    AUTH_HOOK_SEND_SMS_URI: sms.url,
    AUTH_HOOK_SEND_SMS_SECRETS: newHookSecret(),
    AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
    AUTH_RATE_LIMIT_SMS_SENT: 'off',
    ...env,
  })
  const follow = async (link: string): Promise<string> => {
    if (!link.startsWith(`${externalUrl}/`)) throw new Error(`a link to elsewhere: ${link}`)
    const url = server.url + link.slice(externalUrl.length)
    const first = await fetch(url, { redirect: 'manual' })
    const answer = first.status === 200 ? await press(url, first) : first
    if (![302, 303].includes(answer.status))
      throw new Error(`${answer.status}: ${await answer.text()}`)
    return answer.headers.get('location') ?? ''
  }

  const next = <T>(take: () => T | null, what: string) => nextOf(take, { url: server.url, what })

  return {
    client: (options) => openClient(server.url, options),
    operator: () => openClient(server.url, { token: serviceToken() }).admin,
    mailTo: (address) => next(() => takeMail(smtp.mails, address), `a mail to ${address}`),
    codeTo: (phone) => next(() => takeCode(sms.heard, phone), `an SMS to ${phone}`),
    follow,
    land: async (link, options) => landOn(await follow(link), server.url, options),
    countMailsTo: (...addresses) =>
      smtp.mails.filter(({ envelope }) => envelope.to.some((to) => addresses.includes(to))).length,
    close: async () => {
      await server.stop()
      await Promise.all([smtp.close(), sms.close()])
      await database.drop()
    },
  }
}

/** Submits the page that confirms the linking of an identity. */
async function press(url: string, shown: Response): Promise<Response> {
  const [cookie = ''] = (shown.headers.get('set-cookie') ?? '').split(';')
  return fetch(url.replace(/\?.*$/s, ''), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: confirmationForm(await shown.text()),
  })
}

/**
 * Returns the next message. Mails and SMS may arrive in any order; each is returned once, to its
 * recipient. A service that is stopped during a delivery continues or repeats it with a later
 * request, so one is sent every second.
 */
async function nextOf<T>(
  take: () => T | null,
  { url, what }: { url: string; what: string },
): Promise<T> {
  const until = Date.now() + (process.env[frozenVariable] ? 90_000 : 15_000)
  for (let polls = 1; Date.now() < until; polls += 1) {
    const taken = take()
    if (taken !== null) return taken
    await sleep(10)
    if (polls % 100 === 0) await fetch(`${url}/settings`)
  }
  throw new Error(`${what} did not arrive`)
}

const handedOut = new WeakSet<object>()

function takeMail(mails: readonly ReceivedMail[], address: string): ReadMail | null {
  const mail = mails.find(
    ({ envelope }) => envelope.to.includes(address) && !handedOut.has(envelope),
  )
  if (!mail) return null
  handedOut.add(mail.envelope)
  const text = mail.text ?? ''
  const [link = ''] = /https:\/\/\S+\/verify\?\S+/.exec(text) ?? []
  return {
    to: address,
    subject: mail.subject ?? '',
    code: /^(?!.*https?:).*\b(\d{6})\s*$/m.exec(text)?.[1] ?? null,
    link,
    tokenHash: (link && new URL(link).searchParams.get('token')) || '',
  }
}

function takeCode(heard: readonly Heard[], phone: string): string | null {
  const calls = heard.filter((call) => !handedOut.has(call))
  const payload = (call: Heard): SendSmsPayload => JSON.parse(call.text)
  const call = calls.find((one) => payload(one).sms.phone === phone)
  if (!call) return null
  handedOut.add(call)
  return payload(call).sms.otp
}
