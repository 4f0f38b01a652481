import { describe, expect, it } from 'vitest'
import { type ForwardedRequest, linkHost } from './link-host.ts'

const externalUrl = 'https://auth.acme.test'
const externalHosts = ['eu.acme.test', 'us.acme.test:8443', 'localhost', 'localhost:8081']

const found = (forwarded: ForwardedRequest, hosts = externalHosts) =>
  linkHost({ externalUrl, email: { externalHosts: hosts } }, forwarded)

describe('links in mails', () => {
  it.each([
    ['eu.acme.test', 'https', 'https://eu.acme.test'],
    ['eu.acme.test', 'http', 'https://eu.acme.test'],
    ['eu.acme.test', null, 'https://eu.acme.test'],
    ['us.acme.test:8443', null, 'https://us.acme.test:8443'],
    ['localhost', 'http', 'http://localhost'],
    ['localhost:8081', 'http', 'http://localhost:8081'],
    ['localhost', 'https', 'https://localhost'],
    ['localhost', undefined, 'https://localhost'],
    [null, 'http', externalUrl],
    [undefined, undefined, externalUrl],
    ['', 'https', externalUrl],
  ])('contain the listed host %s (%s): %s', (forwardedHost, forwardedProto, url) => {
    expect(found({ forwardedHost, forwardedProto })).toBe(url)
  })

  it.each([
    'evil.test',
    'EU.acme.test',
    'eu.acme.test.',
    'eu.acme.test:443',
    'us.acme.test',
    'eu.acme.test.evil.test',
    'evil.test#eu.acme.test',
    'evil.test/eu.acme.test',
    'eu.acme.test@evil.test',
    'eu.acme.test, evil.test',
    'evil.test, eu.acme.test',
    ' eu.acme.test',
    'eu.acme.test\t',
    'eu.acme.test\r\nx: y',
    'https://eu.acme.test',
    'constructor',
    '__proto__',
  ])('T20: never contain %j, which is not listed', (forwardedHost) => {
    for (const forwardedProto of ['http', 'https', 'javascript', null]) {
      expect(found({ forwardedHost, forwardedProto })).toBe(externalUrl)
      expect(found({ forwardedHost, forwardedProto }, [])).toBe(externalUrl)
    }
  })
})
