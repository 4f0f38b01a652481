import { afterEach, describe, expect, it } from 'vitest'
import {
  answering,
  answerJson,
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from '../../../test/support/web-server.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { EmailConfig } from '../../platform/config/sections/email.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { openDeliverability } from './check-deliverability.ts'
import type { MailResolver } from './mail-exchangers.ts'

let server: WebServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const refusing = (code: string) => async (): Promise<never> => {
  throw Object.assign(new Error(code), { code })
}
const mx =
  (...exchanges: string[]) =>
  async () =>
    exchanges.map((exchange) => ({ exchange }))
const nothing: MailResolver = {
  resolveMx: refusing('ENODATA'),
  resolve4: refusing('ENODATA'),
  resolve6: refusing('ENODATA'),
}

let warnings: string[] = []
/** The text that the log writes beside the entries. */
let written = ''
let refusals: object[] = []
function open(validation: EmailConfig['validation'], resolver: MailResolver = nothing) {
  warnings = []
  written = ''
  refusals = []
  const { config } = checkConfig({ development: true, email: { validation } })
  const warn = (fields: object, text: string) => {
    warnings.push(text)
    written += JSON.stringify(fields)
  }
  const logger = { ...silentLogger, warn, info: (fields: object) => void refusals.push(fields) }
  const isDeliverable = openDeliverability({ config, fetch: safeFetch, logger, resolver })
  if (!isDeliverable) throw new Error('nothing is checked')
  return isDeliverable
}

it('logs which checks rejected an address, and not the address', async () => {
  const isDeliverable = open({ extended: true, blockedDomains: ['bin.dev'] })
  await isDeliverable('ann@firm.de')
  await isDeliverable('ann@a.bin.dev')
  expect(refusals).toEqual([
    { refusedBy: ['mail hosts'] },
    { refusedBy: ['blocked domains', 'mail hosts'] },
  ])

  await open({ blockedDomains: ['bin.dev'] })('ann@firm.de')
  expect(refusals).toEqual([])
})

it('is skipped if no check is configured', () => {
  const { config } = checkConfig({ development: true })
  expect(openDeliverability({ config, fetch: safeFetch, logger: silentLogger })).toBeNull()
})

describe('an address', () => {
  it.each([
    'test@gmail.com',
    'test+1@gmail.com',
    'short@gmail.com',
    'short+longer@googlemail.com',
    'ann@example.com',
    'ann@gmial.com',
    'ann@host.test',
    'ann@sub.host.localhost',
    'ann@localhost',
    'ann@intranet',
  ])('is a placeholder: %s', async (email) => {
    expect(await open({ extended: true }, { ...nothing, resolveMx: mx('mx.a.de') })(email)).toBe(
      false,
    )
  })

  it.each(['ann.lee@gmail.com', 'test@firm.de', 'ann@example.de', 'ann@test.com.de'])(
    'is not a placeholder: %s',
    async (email) => {
      expect(await open({ extended: true }, { ...nothing, resolveMx: mx('mx.a.de') })(email)).toBe(
        true,
      )
    },
  )
})

describe('a domain', () => {
  const notFound = refusing('ENOTFOUND')
  const busy = refusing('ESERVFAIL')
  const late = () => new Promise<never>(() => {})

  it.each<[string, Partial<MailResolver>, boolean]>([
    ['has a mail host', { resolveMx: mx('mx.firm.de') }, true],
    ['has an address alone', { resolve4: async () => ['192.0.2.1'] }, true],
    [
      'has an IPv6 address alone',
      { resolve4: notFound, resolve6: async () => ['2001:db8::1'] },
      true,
    ],
    ['is not there', { resolveMx: notFound, resolve4: notFound, resolve6: notFound }, false],
    ['has nothing', {}, false],
    [
      'says that it takes no mail',
      { resolveMx: mx(''), resolve4: async () => ['192.0.2.1'] },
      false,
    ],
    ['says so with a dot', { resolveMx: mx('.') }, false],
    ['cannot be looked up now', { resolveMx: busy, resolve4: notFound, resolve6: notFound }, true],
    ['times out', { resolveMx: refusing('ETIMEOUT') }, true],
    ['has addresses that cannot be looked up now', { resolve4: busy }, true],
    ['is asked about in vain', { resolveMx: refusing('ECONNREFUSED') }, true],
    ['is never answered about', { resolveMx: late }, true],
  ])('that %s', async (_, resolver, isGood) => {
    const begun = performance.now()
    expect(await open({ extended: true }, { ...nothing, ...resolver })('ann@firm.de')).toBe(isGood)
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  it.each([
    ['by its mail host', { resolveMx: mx('ok.firm.de', 'MX.Bin.example.') }, false],
    ['by its address', { resolve4: async () => ['192.0.2.7'] }, false],
    ['not by another host', { resolveMx: mx('mx.bin.example.firm.de') }, true],
    ['not while nobody can tell', { resolveMx: busy }, true],
    ['not where it has none', {}, true],
  ])('is blocked %s', async (_, resolver, isGood) => {
    const isDeliverable = open(
      { blockedMx: ['mx.bin.example', '192.0.2.7'] },
      { ...nothing, ...resolver },
    )
    expect(await isDeliverable('ann@firm.de')).toBe(isGood)
  })

  it('of a large provider is not looked up, unless hosts are blocked', async () => {
    expect(await open({ extended: true })('ann.lee@gmail.com')).toBe(true)
    const blocking = open(
      { extended: true, blockedMx: ['mx.a.de'] },
      { ...nothing, resolveMx: mx('mx.a.de') },
    )
    expect(await blocking('ann.lee@gmail.com')).toBe(false)
  })

  it.each([
    ['ann@bin.de', false],
    ['ann@a.b.bin.de', false],
    ['ann@notbin.de', true],
    ['bin.de@firm.de', true],
    ['ann@bin.de.firm.de', true],
  ])('is blocked with its subdomains: %s', async (email, isGood) => {
    expect(await open({ blockedDomains: ['Bin.de'] })(email)).toBe(isGood)
  })
})

describe('a service', () => {
  const ask = async (answer: ServerAnswer) => {
    server = await startWebServer(answer)
    const serviceHeaders = { 'X-Key': ['s3cret', 'two'] }
    return open({ serviceUrl: `${server.url}/check?v=1`, serviceHeaders })('ann@firm.de')
  }

  it('receives a POST request with its headers', async () => {
    expect(await ask((response) => answerJson(response, 200, { valid: true }))).toBe(true)
    expect(server?.heard).toMatchObject([
      {
        method: 'POST',
        path: '/check?v=1',
        headers: { 'content-type': 'application/json', 'x-key': 's3cret, two' },
        text: '{"email":"ann@firm.de"}',
      },
    ])
  })

  it.each([200, 201])('rejects with %d and valid: false', async (status) => {
    expect(await ask((response) => answerJson(response, status, { valid: false }))).toBe(false)
    expect(warnings).toEqual([])
  })

  it.each<[string, ServerAnswer, number]>([
    ['says something else', (response) => answerJson(response, 200, { valid: 'false' }), 0],
    ['has trouble', (response) => answerJson(response, 500, { valid: false }), 1],
    ['refuses us', (response) => answerJson(response, 401, { valid: false }), 1],
    ['has moved', answering(302, { location: '/elsewhere' }), 1],
    ['answers HTML', answering(200, {}, '<!doctype html>'), 1],
    ['answers too much', answering(200, {}, `{"valid":false,"x":"${'x'.repeat(70_000)}"}`), 1],
    ['is gone', (response) => void response.socket?.resetAndDestroy(), 1],
    ['is slow', () => {}, 1],
  ])('that %s refuses nobody', async (_, answer, stated) => {
    expect(await ask(answer)).toBe(true)
    expect(warnings).toEqual(
      Array(stated).fill('an email address was not checked, and was accepted'),
    )
    expect([...written.matchAll(/"fault":\{"name":/g)]).toHaveLength(stated)
    expect(written).not.toContain('ann@firm.de')
  })
})

it('in the environment, the hosts may be a JSON array', async () => {
  const { settings } = await import('../../platform/config/settings.ts')
  const setting = settings.find(({ path }) => path === 'email.validation.blockedMx')
  expect(setting?.parser.parse('["mx.a.de", "mx.b.de"]')).toEqual({ value: ['mx.a.de', 'mx.b.de'] })
  expect(setting?.parser.parse('mx.a.de, mx.b.de')).toEqual({ value: ['mx.a.de', 'mx.b.de'] })
  expect(setting?.parser.parse('["mx.a.de"')).toHaveProperty('problems')
})
