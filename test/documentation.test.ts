import { describe, expect, it } from 'vitest'
import { githubSlug } from '../docs/.vitepress/github-slug.ts'
import { maxConsents } from '../src/capabilities/oauth-server/authorize/decide-authorization.sql.ts'
import { maxUnopened } from '../src/capabilities/oauth-server/authorize/insert-authorization.sql.ts'
import { maxUnusedClients } from '../src/capabilities/oauth-server/clients/clients.sql.ts'
import { explainRedirect } from '../src/limits/redirects/explain-redirect.ts'
import { requestLimit } from '../src/limits/request-limit.ts'
import { userCodeLimit } from '../src/limits/user-code-limit.ts'
import { checkConfig } from '../src/platform/config/check-config.ts'
import { markdownPages, readPage } from './support/markdown.ts'
import { redirectSettings } from './support/redirects/redirect-settings.ts'

/** The lines that a screen shows. */
const screenLines = 40

const readme = readPage('README.md')

describe('N14: a block of the documentation', () => {
  const pages = markdownPages.filter((page) => page.startsWith('docs/'))
  const linesAfter = (comment: RegExp, page: string) =>
    [...readPage(page).matchAll(comment)].map(({ 1: given = '', 2: line = '' }) => [given, line])

  it.each(pages)('states what it assumes, before the code: %s', (page) => {
    const blocks = linesAfter(/^<!-- given: (.*) -->\n+(.*)$/gm, page)
    const silent = blocks.filter(
      ([given = '', line = '']) =>
        !line.startsWith('Given: ') ||
        given.split(', ').some((name) => !line.includes(`\`${name}\``)),
    )

    expect(silent).toEqual([])
  })

  it.each(pages)('links to the whole file of which it is a part: %s', (page) => {
    const blocks = linesAfter(/^<!-- from: (examples\/\S+) -->\n+(.*)$/gm, page)

    expect(blocks.filter(([file = '', line = '']) => !line.includes(`](../${file})`))).toEqual([])
  })
})

describe('a page of the documentation', () => {
  const pages = markdownPages.filter((page) => /^docs\/(?!index)/.test(page))
  const sectionsOf = (text: string) =>
    [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^## (.+)$/gm)].map(
      ([, title = '']) => title,
    )

  it.each(pages)('links to its sections in their order, where it has three or more: %s', (page) => {
    const text = readPage(page)
    const [, contents = ''] = /^On this page: ([\s\S]*?)\n\n/m.exec(text) ?? []
    const sections = sectionsOf(text)
    const linked = [...contents.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)

    expect(linked).toEqual(sections.length < 3 ? [] : sections.map(githubSlug))
  })

  it.each(pages)('links to the next page: %s', (page) => {
    expect(readPage(page)).toMatch(/\bNext: \[[^\]]+\]\(\S+\)/)
  })
})

describe('N15: the README', () => {
  it('has three screens', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(3 * screenLines)
  })

  it('begins with the two commands of a clone, then shows install, a host and a client', () => {
    const positions = [
      'npm start ',
      'npm test ',
      'npm install latchkey',
      "app.use('/auth', toExpress(auth))",
      'new AuthClient(',
    ].map((text) => readme.indexOf(text))

    expect(positions.every((position) => position > 0)).toBe(true)
    expect(positions).toEqual(positions.toSorted((one, other) => one - other))
    expect(readme.slice(0, positions[1]).split('\n').length).toBeLessThanOrEqual(8)
  })
})

describe('N19: docs/mail.md', () => {
  it.each([
    [
      'AUTH_EXTERNAL_EMAIL_ENABLED=false',
      'ends sign-up and sign-in by email, also of existing users',
    ],
    ['IDENTITY_LINKED', 'also reports the first phone number of a user'],
  ])('describes the decision about %s', (setting, decision) => {
    const items = readPage('docs/mail.md').split(/^- /m)

    expect(items.filter((item) => item.includes(setting) && item.includes(decision))).toHaveLength(
      1,
    )
  })
})

describe('docs/redirects.md', () => {
  const rows = [...readPage('docs/redirects.md').matchAll(/^\| `(\S+)` \| (`.+`) \| (`.+`) \|$/gm)]
  const targetsIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one)
  const cases = rows.flatMap(([, glob = '', permitted = '', rejected = '']) => [
    ...targetsIn(permitted).map((target) => [glob, 'permits', target]),
    ...targetsIn(rejected).map((target) => [glob, 'does not permit', target]),
  ])

  it('has examples of globs', () => {
    expect(cases.length).toBeGreaterThan(9)
  })

  it.each(cases)('is right that %s %s %s', (glob = '', decision, target = '') => {
    const settings = redirectSettings({ siteUrl: 'https://app.acme.test', allowList: [glob] })
    expect(explainRedirect(settings, target).allowed).toBe(decision === 'permits')
  })
})

describe('docs/oauth-server.md', () => {
  it('states the limits of the code', () => {
    const page = readPage('docs/oauth-server.md').replaceAll(/\s+/g, ' ')
    const { rateLimits } = checkConfig({ development: true }).config
    const registrations = requestLimit(rateLimits, 'oauth_register')
    const count = (value: number) => value.toLocaleString('en')

    expect(page).toContain(
      `in five minutes; default ${rateLimits.oauthDynamicClientRegister}, after the first ${registrations?.burst}.`,
    )
    expect(page).toContain(`about ${count(maxUnusedClients)} unused clients`)
    expect(page).toContain(`about ${count(maxUnopened)} unopened requests`)
    expect(page).toContain(`${count(maxConsents)} consents of one user`)
    expect(page).toContain(`A user may enter ${userCodeLimit.burst} codes`)
  })
})
