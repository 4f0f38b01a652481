declare const mailboxUrl: string
import { openMailbox } from 'latchkey/testing'

const mailbox = await openMailbox(mailboxUrl)
const { link, code } = await mailbox.next({ to: 'ada@example.test', kind: 'confirmation' })

export {}
