import { expect, it } from 'vitest'
import { isPlainHost, isPlainOrigin } from './plain-host.ts'

it.each([
  'example.com',
  'xn--bcher-kva.example',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '[2001:db8::1]',
])('accepts the host %s', (host) => {
  expect(isPlainHost(host)).toBe(true)
  expect(isPlainOrigin(`https://${host}`)).toBe(true)
  expect(isPlainOrigin(`https://${host}:8443`)).toBe(true)
})

it.each(['', '*', "'self'", 'a;sandbox', 'a,sandbox', 'a b', '*.example', '[a;b]', '[127.0.0.1]'])(
  'rejects the host %s',
  (host) => {
    expect(isPlainHost(host)).toBe(false)
    expect(isPlainOrigin(`https://${host}`)).toBe(false)
  },
)

it.each(['null', 'data:', 'https://example.com/path', 'https://example.com; sandbox'])(
  'rejects the origin %s',
  (origin) => {
    expect(isPlainOrigin(origin)).toBe(false)
  },
)
