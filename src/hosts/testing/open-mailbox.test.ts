import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type MailboxServer,
  someMail,
  startMailboxServer,
} from '../../../test/support/mailbox-server.ts'
import { type Mailbox, openMailbox } from './open-mailbox.ts'

const to = someMail.to
let server: MailboxServer
let mailbox: Mailbox

beforeEach(async () => {
  server = await startMailboxServer()
  mailbox = await openMailbox(`${server.url}?token=${server.token}`)
})
afterEach(() => server.close())

describe('openMailbox', () => {
  it('returns each mail to an address once, the oldest first, with link and code', async () => {
    const first = await server.mail()
    await server.mail({ to: 'bea@example.test' })
    const second = await server.mail()
    const mails = [await mailbox.next({ to }), await mailbox.next({ to })]

    expect(mails.map(({ id }) => id)).toEqual([first, second])
    expect(mails[0]).toEqual({
      id: first,
      ...someMail,
      link: expect.stringContaining('/auth/verify?token=0a1b2c'),
      code: '483920',
    })
  })

  it('waits for a mail of a kind', async () => {
    await server.mail()
    const awaited = mailbox.next({ to, kind: 'confirmation' })
    const id = await server.mail({ kind: 'confirmation' })

    expect(await awaited).toMatchObject({ id, kind: 'confirmation' })
  })

  it('throws when no such mail is received in time', async () => {
    await expect(mailbox.next({ to, timeoutSeconds: 0.1 })).rejects.toThrow(`no mail to ${to}`)
  })

  it('throws for an address with another token', async () => {
    await expect(openMailbox(`${server.url}?token=other`)).rejects.toThrow(
      'rejects its address: 401',
    )
  })
})
