import { expect, it } from 'vitest'
import { foreignOrigin, isFromOwnOrigin } from './own-origin.ts'

const origins = new Set(['https://app.example.test'])

it.each<[string, Record<string, string>, boolean | null]>([
  ['its own page', { origin: 'https://app.example.test' }, true],
  ['another site', { origin: 'https://evil.test' }, false],
  ['a subdomain', { origin: 'https://evil.app.example.test' }, false],
  ['the domain above', { origin: 'https://example.test' }, false],
  ['another port', { origin: 'https://app.example.test:8443' }, false],
  ['a page without TLS', { origin: 'http://app.example.test' }, false],
  ['a sandboxed frame', { origin: 'null' }, false],
  ['nobody', { origin: '' }, false],
  ['two origins', { origin: 'https://app.example.test, https://evil.test' }, false],
  [
    'a sandboxed frame that hides behind a header',
    { origin: 'null', referer: 'https://app.example.test/' },
    false,
  ],
  ['a browser that names the site', { 'sec-fetch-site': 'same-origin' }, true],
  ['a subdomain, as the site has it', { 'sec-fetch-site': 'same-site' }, false],
  ['another site, as the site has it', { 'sec-fetch-site': 'cross-site' }, false],
  ['the address bar', { 'sec-fetch-site': 'none' }, false],
  ['a page that tells its address', { referer: 'https://app.example.test/sign-in?a=b' }, true],
  [
    'a page that tells another address',
    { referer: 'https://evil.test/https://app.example.test/' },
    false,
  ],
  ['a page that tells no address', { referer: 'about:blank' }, false],
  [
    'a site whose page claims another address',
    { 'sec-fetch-site': 'cross-site', referer: 'https://app.example.test/' },
    false,
  ],
  ['whoever says nothing', {}, null],
])('takes a request of %s for what it is', (_, headers, expected) => {
  expect(isFromOwnOrigin(origins, { headers })).toBe(expected)
  expect(isFromOwnOrigin(origins, { headers: new Headers(headers) })).toBe(expected)
})

it('names the permitted origins in the error, for an application opened under another name', () => {
  const named = foreignOrigin(new Set(['http://127.0.0.1:3000', 'http://127.0.0.1:3001']))

  expect(named.message).toMatch(/pages of http:\/\/127\.0\.0\.1:3000, http:\/\/127\.0\.0\.1:3001$/)
})
