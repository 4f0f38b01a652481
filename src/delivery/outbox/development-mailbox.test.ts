import { describe, expect, it } from 'vitest'
import type { RenderedMail } from '../mail/mail.ts'
import { createDevelopmentMailbox, type MailboxMessage } from './development-mailbox.ts'

const now = new Date('2026-01-02T03:04:05Z')
const clock = { now: () => now }
const mail: RenderedMail = {
  kind: 'recovery',
  to: 'ada@example.test',
  subject: 'Reset your password',
  html: '<p>Hello</p>',
  text: 'Hello',
}
const sms = { to: '15550100', code: '123456', channel: 'sms', text: 'Your code is 123456' } as const
const delivery = (id: string) => ({ id, createdAt: now })

describe('the development mailbox', () => {
  it('keeps the messages of its carriers, the newest first', async () => {
    const mailbox = createDevelopmentMailbox({ clock })
    await expect(mailbox.mails.send(mail, delivery('1'))).resolves.toEqual({
      carrierMessageId: null,
    })
    await mailbox.sms.send(sms, delivery('2'))

    expect(mailbox.list()).toEqual([
      { id: '2', arrivedAt: now, kind: 'sms', sms },
      { id: '1', arrivedAt: now, kind: 'mail', mail },
    ])
    expect(mailbox.find('1')).toMatchObject({ mail })
    expect(mailbox.find('3')).toBeNull()
  })

  it('keeps only the latest messages', async () => {
    const mailbox = createDevelopmentMailbox({ clock }, 3)
    for (const id of ['1', '2', '3', '4', '5']) await mailbox.mails.send(mail, delivery(id))

    expect(mailbox.list().map(({ id }) => id)).toEqual(['5', '4', '3'])
    expect(mailbox.find('2')).toBeNull()
  })

  it('ignores a message that it has already', async () => {
    const mailbox = createDevelopmentMailbox({ clock })
    const heard: MailboxMessage[] = []
    mailbox.subscribe({ arrived: (message) => heard.push(message), closed: () => {} })
    await mailbox.mails.send(mail, delivery('1'))
    await mailbox.mails.send({ ...mail, subject: 'again' }, delivery('1'))

    expect(mailbox.list()).toHaveLength(1)
    expect(heard).toEqual(mailbox.list())
  })

  it('notifies subscribers until they unsubscribe or it closes', async () => {
    const mailbox = createDevelopmentMailbox({ clock })
    const heard: string[] = []
    const listener = (name: string) => ({
      arrived: ({ id }: MailboxMessage) => heard.push(`${name} ${id}`),
      closed: () => heard.push(`${name} closed`),
    })
    const leave = mailbox.subscribe(listener('a'))
    mailbox.subscribe(listener('b'))
    await mailbox.sms.send(sms, delivery('1'))
    leave()
    await mailbox.sms.send(sms, delivery('2'))
    mailbox.close()
    await mailbox.sms.send(sms, delivery('3'))

    expect(heard).toEqual(['a 1', 'b 1', 'b 2', 'b closed'])
  })
})
