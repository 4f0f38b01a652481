import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { H3 } from 'h3'
import type { RenderedMail } from '../../src/delivery/mail/mail.ts'
import {
  createDevelopmentMailbox,
  type DevelopmentMailbox,
} from '../../src/delivery/outbox/development-mailbox.ts'
import type { RenderedSms } from '../../src/delivery/sms/sms.ts'
import { toNode } from '../../src/hosts/adapters/node.ts'
import { allowAnyOrigin } from '../../src/platform/http/cors.ts'
import { rejectOtherMethods } from '../../src/platform/http/other-methods.ts'
import { systemRandom } from '../../src/platform/kit/random.ts'
import type { MailboxTakes } from '../../src/service/pages/mailbox/mailbox-page.ts'
import { mailboxRoutes } from '../../src/service/pages/mailbox/mailbox-routes.ts'
import { answeringApp } from './answering-app.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** Only the development mailbox, mounted at `/auth` as in an application, on its own port. */
export interface MailboxServer {
  mailbox: DevelopmentMailbox
  clock: TestClock
  token: string
  /** The URL of the mailbox, without the token. */
  url: string
  mail(mail?: Partial<RenderedMail>): Promise<string>
  sms(sms?: Partial<RenderedSms>): Promise<string>
  close(): Promise<void>
}

export async function startMailboxServer(port = 0): Promise<MailboxServer> {
  const clock = createTestClock()
  const mailbox = createDevelopmentMailbox({ clock })
  const token = systemRandom.hex(16)
  const server = createServer(toNode({ app: createMailboxApp(mailbox, token) }))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  const send = async (give: (delivery: { id: string; createdAt: Date }) => Promise<unknown>) => {
    const id = systemRandom.uuid()
    await give({ id, createdAt: clock.now() })
    return id
  }
  return {
    mailbox,
    clock,
    token,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/_latchkey/mail`,
    mail: (mail) => send((delivery) => mailbox.mails.send({ ...someMail, ...mail }, delivery)),
    sms: (sms) => send((delivery) => mailbox.sms.send({ ...someSms, ...sms }, delivery)),
    close: async () => {
      mailbox.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Creates the app around the mailbox, as in the service. */
export function createMailboxApp(
  mailbox: DevelopmentMailbox,
  token: string,
  takes: MailboxTakes = { email: true, phone: true },
): ReturnType<typeof answeringApp> {
  const app = new H3()
  const endpoints = new H3()
  mailboxRoutes(endpoints, { mailbox, takes, token, random: systemRandom })
  rejectOtherMethods(endpoints, allowAnyOrigin([]))
  return answeringApp(app.mount('/auth', endpoints))
}

const link =
  'http://127.0.0.1:9999/auth/verify?token=0a1b2c&type=recovery&redirect_to=http%3A%2F%2Flocalhost'

export const someMail: RenderedMail = {
  kind: 'recovery',
  to: 'ada@example.test',
  subject: 'Reset your password',
  html: `<h2>Reset your password</h2><p>Follow <a href="${link.replaceAll('&', '&amp;')}">this link</a> or enter 483920.</p>`,
  text: `Reset your password\n\nFollow this link:\n${link}\n\nOr enter the code 483920.`,
}

export const someSms: RenderedSms = {
  to: '4915550100',
  code: '007314',
  channel: 'sms',
  text: 'Your code is 007314',
}
