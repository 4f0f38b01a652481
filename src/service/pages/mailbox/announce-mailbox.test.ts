import { afterEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../platform/observability/logger.ts'
import { announceMailbox } from './announce-mailbox.ts'

const both = { email: true, phone: true }
const given = { mailbox: {}, mailboxTakes: both, developerToken: 'a0b1' }
const here = { externalUrl: 'http://127.0.0.1:3000/auth', basePath: '/auth', logger: null }

afterEach(() => vi.restoreAllMocks())

function listen() {
  const printed: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  return printed
}

it('writes the address of the mailbox to the logger', () => {
  const printed = listen()
  const info = vi.fn()
  announceMailbox({ ...given, config: { ...here, logger: { ...silentLogger, info } } })

  expect(info.mock.calls).toEqual([
    [
      { url: 'http://127.0.0.1:3000/auth/_latchkey/mail?token=a0b1' },
      'Latchkey shows mails and text messages instead of sending them',
    ],
  ])
  expect(printed).toEqual([])
})

it('prints it where there is no logger, because developers need it', () => {
  const printed = listen()
  announceMailbox({ ...given, mailboxTakes: { email: false, phone: true }, config: here })

  expect(printed).toEqual([
    'Latchkey shows text messages instead of sending them: http://127.0.0.1:3000/auth/_latchkey/mail?token=a0b1\n',
  ])
})

it('prints only the path where the service has a public address', () => {
  const printed = listen()
  announceMailbox({ ...given, config: { ...here, externalUrl: 'https://abc.tunnel.test/auth' } })

  expect(printed[0]).toMatch(/: \/auth\/_latchkey\/mail\?token=a0b1\n$/)
})

it('prints nothing where there is no mailbox', () => {
  const printed = listen()
  announceMailbox({ ...given, mailbox: null, config: here })
  announceMailbox({ ...given, developerToken: null, config: here })

  expect(printed).toEqual([])
})
