import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mailKinds } from '../src/platform/mails/mails.ts'
import { runCli } from './support/cli-process.ts'
import { startWebServer } from './support/web-server.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-mails-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('writes every mail in every language, and a page that links to all of them', async () => {
  const { code, output } = await runCli(['mail', 'preview', join(folder, 'new')])

  const files = await readdir(join(folder, 'new'))
  const index = await readFile(join(folder, 'new/index.html'), 'utf8')
  const linked = [...index.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  expect(code).toBe(0)
  const inThreeLanguages = 3 * mailKinds.length
  expect(output).toContain(`${inThreeLanguages} mails`)
  expect(files).toHaveLength(2 * inThreeLanguages + 1)
  expect([...linked, 'index.html'].toSorted()).toEqual(files.toSorted())
  expect(await readFile(join(folder, 'new/magic_link.fr.txt'), 'utf8')).toContain('417309')
})

it('writes them in a production environment, too', async () => {
  const { code, output } = await runCli(['mail', 'preview', folder], {
    env: { NODE_ENV: 'production' },
  })

  expect([code, output]).toEqual([0, expect.stringContaining(' mails: ')])
})

it('renders custom templates, and reports their defects', async () => {
  await using site = await startWebServer((response, { path }) => {
    response.end(path === '/invite.html' ? '<p>My own: {{ .Email }}</p>' : '{{ if }}')
  })
  const env = {
    AUTH_SITE_URL: site.url,
    AUTH_MAILER_TEMPLATES_INVITE: '/invite.html',
    AUTH_MAILER_TEMPLATES_RECOVERY: '/recovery.html',
  }
  const { code, output } = await runCli(['mail', 'preview', folder], { env })

  expect(code).toBe(0)
  expect(await readFile(join(folder, 'invite.de.html'), 'utf8')).toBe(
    '<p>My own: ada@example.com</p>',
  )
  expect(output).toContain('line 1, column 7: expected a value here')
  expect(await readFile(join(folder, 'recovery.de.html'), 'utf8')).toContain('<html lang="de"')
})

it('renders templates in code, also in languages without built-in mails', async () => {
  const config = join(folder, 'auth.mjs')
  await writeFile(
    config,
    `export default {
      siteUrl: 'https://app.example.com',
      email: { templates: {
        invite: { es: (mail) => ({ subject: 'Hola ' + mail.to, html: '<p>Código</p>' }) },
        recovery: () => { throw new Error('not rendered') },
      } },
    }`,
  )
  const { code, output } = await runCli(['mail', 'preview', folder, '--config', config])

  expect(output).toContain(`${3 * mailKinds.length + 1} mails`)
  expect(code).toBe(0)
  expect(await readFile(join(folder, 'invite.es.html'), 'utf8')).toBe('<p>Código</p>')
  expect(await readFile(join(folder, 'invite.de.html'), 'utf8')).toContain('<html lang="de"')
  expect(await readFile(join(folder, 'recovery.de.html'), 'utf8')).toContain('<html lang="de"')
  expect(output).toContain('mail template function failed')
})

it('rejects unknown words', async () => {
  const { code, output } = await runCli(['mail', 'send'])

  expect(code).toBe(2)
  expect(output).toContain('unknown: mail send')
})
