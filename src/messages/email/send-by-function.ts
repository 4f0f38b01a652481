import type { OutgoingMail, SendMail } from '../../config/sections/email.ts'
import { askFunction } from '../ask-function.ts'
import type { Carrier } from '../carrier.ts'
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
    return askFunction('email.send', () => send(mail), timeoutMs)
  },
})
