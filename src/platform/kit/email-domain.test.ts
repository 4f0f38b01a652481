import { describe, expect, it } from 'vitest'
import { isInDomains, normalizeDomain } from './email-domain.ts'

describe('S08: the domain of an address', () => {
  const domains = ['example.com', 'xn--bcher-kva.example']

  it.each(['ada@example.com', 'Ada@EXAMPLE.com', 'a@b@example.com', 'ada@xn--bcher-kva.example'])(
    'is in the list: %s',
    (address) => expect(isInDomains(address, domains)).toBe(true),
  )

  it.each([
    'ada@sub.example.com',
    'ada@notexample.com',
    'ada@example.com.',
    'ada@example.com.evil.test',
    'ada@example.co',
    'ada@.example.com',
    'ada@example.com@evil.test',
    'ada@evil.test#@example.com ',
    'ada@example.com\0',
    'ada@example\u3002com',
    'ada@e\u212aample.com',
    'ada@ex\u0430mple.com',
    'ada@bücher.example',
    'example.com',
    '@example.com',
    '',
  ])('is not in the list: %j', (address) => expect(isInDomains(address, domains)).toBe(false))

  it('has one spelling', () => {
    expect(['EXAMPLE.com', 'bücher.example', 'XN--BCHER-KVA.example'].map(normalizeDomain)).toEqual(
      ['example.com', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
    )
  })

  it.each([
    'example.com.',
    '.example.com',
    '*.example.com',
    '@example.com',
    'https://example.com',
    'example.com/x',
    'example.com:443',
    'com',
    'exa mple.com',
    '127.0.0.1',
    'a..b',
    '',
  ])('is not a domain: %j', (name) => expect(normalizeDomain(name)).toBeNull())
})
