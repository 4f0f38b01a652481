import { expect, it } from 'vitest'
import { consoleBrowsers, operatorRole } from '../../../test/support/console.ts'
import { startMessagingAuth } from '../../../test/support/messages.ts'
import { origin } from '../../../test/support/page-browser.ts'

it('N07: the mail studio shows a template function, in any language, and first in that of the page', async () => {
  const auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    jwt: {},
    encryptionKey: 'an encryption key of more than 32 bytes',
    console: { enabled: true },
    email: {
      smtp: 'smtp://127.0.0.1:1',
      from: 'Acme <no-reply@console.test>',
      templates: {
        magicLink: { es: ({ to }) => ({ subject: `Hola ${to}`, html: '<p>Código</p>' }) },
      },
    },
    hooks: { sendEmail: undefined },
  })
  const operator = await consoleBrowsers(auth).strong(operatorRole)
  const page = await operator.get('/auth/console/mails?kind=magicLink&language=es')
  const frame = await operator.get('/auth/console/mails/preview?kind=magicLink&language=es')
  const german = await operator.get('/auth/console/mails?lang=de')
  await auth.close()

  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Hola ada@example.com')])
  expect(german.text).toMatch(/<select id="filter-language"[^>]*><option value="de">/)
  expect(german.text).toContain('Sie wurden eingeladen')
  expect([frame.status, frame.text]).toEqual([200, expect.stringContaining('<p>Código</p>')])
})
