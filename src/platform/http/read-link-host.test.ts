import { H3 } from 'h3'
import { describe, expect, it } from 'vitest'
import { readLinkHost } from '../../endpoints/http/open-context.ts'
import { checkConfig } from '../config/check-config.ts'

const { config } = checkConfig({
  development: true,
  externalUrl: 'https://auth.acme.test',
  email: { externalHosts: ['eu.acme.test'] },
})
const app = new H3()
app.all('/**', (event) => readLinkHost(config, event))

const ask = async (headers: Record<string, string>, url = 'http://127.0.0.1:8081/recover') =>
  (await app.fetch(new Request(url, { headers }))).text()

/** Headers by which proxies forward a host, a scheme or a path. */
const forwarding = [
  'x-forwarded-host',
  'x-forwarded-server',
  'x-forwarded-proto',
  'x-forwarded-port',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-prefix',
  'x-host',
  'x-original-host',
  'x-original-url',
  'x-rewrite-url',
  'x-http-host-override',
]
const values = [
  'evil.test',
  'evil.test:443',
  'http',
  'javascript',
  'host=evil.test;proto=http',
  '@evil.test',
  'eu.acme.test@evil.test',
  'eu.acme.test,evil.test',
  '/evil',
  'https://evil.test/',
  '',
]

describe('T20: the host of mailed links', () => {
  it('cannot be chosen by a header, alone or beside others', async () => {
    for (const value of values) {
      const all = Object.fromEntries(forwarding.map((name) => [name, value]))
      for (const headers of [all, ...forwarding.map((name) => ({ [name]: value }))]) {
        expect(await ask(headers), JSON.stringify(headers)).toBe('https://auth.acme.test')
      }
    }
  })

  it('cannot be chosen by the request URL', async () => {
    expect(await ask({ host: 'evil.test' }, 'http://evil.test/recover')).toBe(
      'https://auth.acme.test',
    )
  })

  it('is the listed one that X-Forwarded-Host names, and no other header does', async () => {
    for (const name of forwarding) {
      expect(await ask({ [name]: 'eu.acme.test' })).toBe(
        name === 'x-forwarded-host' ? 'https://eu.acme.test' : 'https://auth.acme.test',
      )
    }
    const beside = Object.fromEntries(forwarding.map((name) => [name, 'evil.test']))
    expect(await ask({ ...beside, 'x-forwarded-host': 'eu.acme.test' })).toBe(
      'https://eu.acme.test',
    )
  })
})
