import type { OutgoingMail, SendMail } from '../../config/sections/email.ts'
import { hideAddresses } from '../../kit/hide-addresses.ts'
import { withinTime } from '../../kit/within-time.ts'
import { type Carrier, carrierRefusal } from '../carrier.ts'
import type { RenderedMail } from './mail.ts'
import { requireOneMailbox } from './one-mailbox.ts'

/** A carrier that is a function of the application's. */
export const sendByFunction = (
  send: SendMail,
  from: OutgoingMail['from'],
  timeoutMs: number,
): Carrier<RenderedMail> => ({
  send: async ({ kind, to, subject, html, text }, { id, createdAt }) => {
    const sender = { address: from.address, name: from.name }
    const content = { kind, subject, html, text }
    const mail = { id, createdAt, from: sender, to: requireOneMailbox(to), ...content }
    const sending = Promise.resolve().then(() => send(mail))
    const sent = await withinTime(sending, timeoutMs, tooSlow).catch(refuse)
    return { carrierMessageId: sent?.messageId ?? null }
  },
})

const tooSlow = () => new Error('it did not end in time')

/** What others throw may quote the address that they were given. */
function refuse(error: unknown): never {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  throw carrierRefusal(hideAddresses(`email.send failed: ${name}: ${message}`), false)
}
