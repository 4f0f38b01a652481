import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../platform/config/check-config.ts'
import { checkMailRecords } from '../../service/doctor/check-mail-records.ts'
import { checkProviders } from '../../service/doctor/check-providers.ts'
import { describeFinding, problem, withNamesInCode } from '../../service/doctor/finding.ts'
import { assessEncryption, assessGrants, assessOpenSchema } from './check-access.ts'
import { assessConnections } from './check-connections.ts'
import { assessClock, assessKeyAge } from './check-database.ts'
import { checkPageTexts } from './check-page-texts.ts'

const records =
  (texts: Record<string, string[]>) =>
  async (name: string): Promise<readonly string[]> =>
    texts[name] ?? []

const good = {
  'acme.dev': ['site=1', 'v=spf1 include:mail.example.net -all'],
  's1._domainkey.acme.dev': ['v=DKIM1; k=rsa; p=MIGf'],
  '_dmarc.acme.dev': ['v=DMARC1; p=quarantine'],
}

const mail = async (
  texts: Record<string, string[]>,
  selectors: string[] = [],
  domain = 'acme.dev',
) =>
  (await checkMailRecords(domain, { selectors, findTexts: records(texts) })).map(
    ({ level, about }) => `${about} ${level}`,
  )

describe("the records of the sender's domain", () => {
  it('are fine if they name senders, a key and a policy', async () => {
    expect(await mail(good)).toEqual(['SPF fine', 'DKIM fine', 'DMARC fine'])
    expect(await mail(good, ['other'])).toContain('DKIM warning')
  })

  it.each([
    ['no record', { 'acme.dev': [] }, 'SPF'],
    ['two records', { 'acme.dev': ['v=spf1 -all', 'v=spf1 ~all'] }, 'SPF'],
    ['everybody', { 'acme.dev': ['v=spf1 +all'] }, 'SPF'],
    ['a key that was withdrawn', { 's1._domainkey.acme.dev': ['v=DKIM1; p='] }, 'DKIM'],
    ['no policy', { '_dmarc.acme.dev': [] }, 'DMARC'],
    ['a policy that only watches', { '_dmarc.acme.dev': ['v=DMARC1; p=none'] }, 'DMARC'],
  ])('are a warning if they name %s', async (_what, change, about) => {
    expect((await mail({ ...good, ...change })).filter((line) => /warning/.test(line))).toEqual([
      `${about} warning`,
    ])
  })

  it('are the records of a parent domain, for the policy', async () => {
    expect(await mail(good, [], 'mail.acme.dev')).toContain('DMARC fine')
  })

  it('contain a remedy, also if DNS does not respond', async () => {
    const findings = await checkMailRecords('acme.dev', {
      selectors: [],
      findTexts: () => Promise.reject(new Error('ESERVFAIL')),
    })
    expect(findings.map(({ level }) => level)).toEqual(['warning', 'warning', 'warning'])
    expect(findings.every(({ remedy }) => remedy)).toBe(true)
  })

  it('are not looked up for a domain that cannot be registered', async () => {
    expect(await mail({}, [], 'example.test')).toEqual([])
  })
})

it('reports a clock that differs, and ignores the duration of the query', () => {
  expect(assessClock(5_000, { before: 1_000, after: 9_000 }).level).toBe('fine')
  expect(assessClock(20_000, { before: 1_000, after: 1_100 })).toMatchObject({
    level: 'problem',
    message: expect.stringContaining('18.9 s'),
  })
  expect(assessClock(1_000, { before: 20_000, after: 20_100 }).level).toBe('problem')
})

it('reports a key that has signed for longer than configured', () => {
  const jwt = { rotation: { intervalSeconds: 30 * 86_400, overlapSeconds: 3600 } }
  const days = (count: number) => assessKeyAge(count * 86_400_000, jwt).level
  expect([days(1), days(30), days(40)]).toEqual(['fine', 'fine', 'warning'])
  expect(assessKeyAge(null, jwt).level).toBe('fine')
})

describe('the enabled providers', () => {
  const { config } = checkConfig({
    development: true,
    providers: {
      google: { clientId: 'client', clientSecret: 'secret' },
      github: { clientId: 'client', clientSecret: 'secret', enabled: false },
    },
    externalSignIn: { allowedIdTokenIssuers: { 'https://issuer.example.net': ['app'] } },
  })

  it('and the allowed issuers are checked for the metadata that they publish', async () => {
    const requested: string[] = []
    const findings = await checkProviders({ config, nameOf: (path) => path }, async (url) => {
      requested.push(String(url))
      throw new Error('no server is listening')
    })

    expect(requested.sort()).toEqual([
      'https://accounts.google.com/.well-known/openid-configuration',
      'https://issuer.example.net/.well-known/openid-configuration',
    ])
    expect(findings).toContainEqual(
      expect.objectContaining({ level: 'problem', about: 'provider https://issuer.example.net' }),
    )
    expect(findings.every(({ remedy }) => remedy?.includes('reaches'))).toBe(true)
  })
})

describe('S25: the connections of the database server', () => {
  const room = (used: number, most = 97) =>
    ({ isPooled: false, bounds: [{ of: 'server', most, used }] }) as const

  it('are fine while more than a fifth is free', () => {
    expect(assessConnections(room(34), 0)).toEqual({
      level: 'fine',
      about: 'connections',
      message: '34 of 97 connections of the server are open; no more are opened once 77 are',
    })
    expect(assessConnections(room(34), 20).message).toMatch(/; each process opens 20 at most$/)
  })

  it('are a warning if less is free, or if a fixed limit leaves less', () => {
    expect(assessConnections(room(90), 0).level).toBe('warning')
    expect(assessConnections(room(34), 90)).toMatchObject({
      level: 'warning',
      remedy: expect.stringContaining('lower it to 77 or less'),
    })
  })

  it('are unknown behind a pooler', () => {
    expect(assessConnections({ isPooled: true }, 0)).toMatchObject({
      level: 'fine',
      message: expect.stringContaining('each process opens 20 at most'),
    })
  })
})

describe('S47: access to the tables', () => {
  it('is a warning for each role that has privileges', () => {
    const grants = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, grantee: 'anon' }))

    expect(assessGrants([...grants, { name: 'users', grantee: 'app' }], 'auth')).toEqual([
      expect.objectContaining({
        level: 'warning',
        message: 'anon has privileges on a, b, c, and 2 others',
        remedy: expect.stringContaining('revoke all on all tables in schema auth from anon'),
      }),
      expect.objectContaining({ message: 'app has privileges on users' }),
    ])
    expect(assessGrants([], 'auth')).toEqual([])
  })

  it('S56: is a warning if every role can create objects', () => {
    expect(assessOpenSchema({ name: 'public' })).toMatchObject({
      level: 'warning',
      remedy: 'revoke create on schema public from public',
    })
  })

  it('S49: is a warning without encryption to a public address', () => {
    expect(assessEncryption({ encrypted: false, address: '93.184.216.34' })).toMatchObject([
      { level: 'warning', about: 'encryption' },
    ])
    for (const address of [null, '127.0.0.1', '10.0.0.7', 'fd00::1'])
      expect(assessEncryption({ encrypted: false, address })).toEqual([])
    expect(assessEncryption({ encrypted: true, address: '93.184.216.34' })).toEqual([])
  })
})

describe('a finding about settings in code', () => {
  it('contains their paths in place of the names in the environment', () => {
    const found = problem(
      'mail',
      'AUTH_SMTP_HOST was not found',
      'check AUTH_SMTP_HOST, or set AUTH_SMTP_PORT=465 and AUTH_EXTERNAL_<PROVIDER>_URL',
    )

    expect(describeFinding(withNamesInCode(found))).toBe(
      'problem: mail: email.smtp.host was not found\n' +
        '  remedy: check email.smtp.host, or set email.smtp.port: 465 and AUTH_EXTERNAL_<PROVIDER>_URL',
    )
  })
})

it('warns of replaced texts of pages that do not exist', () => {
  const texts = { en: { 'signIn.titel': 'Welcome' } } as never

  expect(checkPageTexts({ pages: { texts } } as never)).toMatchObject([
    {
      level: 'warning',
      message: expect.stringContaining('unknown language or key: en.signIn.titel'),
    },
  ])
})
