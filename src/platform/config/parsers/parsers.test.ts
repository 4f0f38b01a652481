import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { boolean, oneOf } from './choices.ts'
import { characterSets, jsonOrList, list, oneOrMore } from './lists.ts'
import { mailHeaders } from './mails.ts'
import { map } from './maps.ts'
import { instant, integer, limit, rate, seconds } from './numbers.ts'
import { isFailure, type Parser } from './parser.ts'
import { hookSecrets, privateKeyPem, rotatingSecrets } from './secrets.ts'
import {
  clientHeader,
  headerName,
  hostAndPort,
  mailHost,
  mountPath,
  sqlName,
  template,
  text,
} from './texts.ts'
import { hookUri, postgresUrl, siteUrl, urlOrPath, webUrl } from './urls.ts'

/** Returns the checked value; the message if it is rejected. */
function checked(kind: Parser<unknown>, given: unknown): unknown {
  const reading = kind.check(given)
  return isFailure(reading)
    ? reading.problems.map(({ message }) => message).join('; ')
    : reading.value
}

/** Returns the value of an environment text; the message if it is rejected. */
function parsed(kind: Parser<unknown>, text: string): unknown {
  const reading = kind.parse(text)
  return isFailure(reading) ? reading.problems[0]?.message : checked(kind, reading.value)
}

const rejection = expect.stringMatching(/^must /)

describe('choices', () => {
  it('read the supported booleans of the environment, and no others', () => {
    for (const yes of ['1', 't', 'T', 'true', 'TRUE', 'True'])
      expect(parsed(boolean, yes)).toBe(true)
    for (const no of ['0', 'f', 'F', 'false', 'FALSE', 'False'])
      expect(parsed(boolean, no)).toBe(false)
    for (const neither of ['', 'yes', 'on', 'tRue', ' true']) {
      expect(parsed(boolean, neither)).toBe('must be true or false')
    }
    expect(checked(boolean, 'true')).toEqual(rejection)
    expect(checked(boolean, 1)).toEqual(rejection)
  })

  it('read words in any letter case, and their other names', () => {
    const level = oneOf(['error', 'warn'], { warning: 'warn' })
    expect(parsed(level, 'WARNING')).toBe('warn')
    expect(checked(level, 'Error')).toBe('error')
    expect(checked(level, 'loud')).toBe('must be one of error, warn')
  })
})

describe('numbers', () => {
  it('are whole and within their range', () => {
    const digits = integer('digits', { min: 6, max: 10 })
    expect(parsed(digits, '8')).toBe(8)
    expect(checked(digits, 10)).toBe(10)
    for (const wrong of ['', '6.5', 'six', '0x8', '11', '5'])
      expect(parsed(digits, wrong)).toEqual(rejection)
    for (const wrong of [5, 7.5, Number.NaN, '8', null, 1e20])
      expect(checked(digits, wrong)).toEqual(rejection)
  })

  it('use a limit instead, with a warning, if the setting has one', () => {
    expect(integer('bytes', { min: 6, outside: 6 }).check(4)).toEqual({
      value: 6,
      warning: 'must be a whole number of at least 6: 6 is used instead of 4',
    })
  })

  it('read a time with or without unit', () => {
    const times: [string, number][] = [
      ['90', 90],
      ['0.5', 0.5],
      ['15m', 900],
      ['1h30m', 5400],
      ['500ms', 0.5],
      ['0', 0],
    ]
    for (const [text, value] of times) {
      expect(parsed(seconds(), text)).toBe(value)
      expect(checked(seconds(), text)).toBe(value)
    }
    expect(checked(seconds(), 12.5)).toBe(12.5)
    for (const wrong of ['', 'soon', '-5', '-1s', '5 m', '1e3'])
      expect(parsed(seconds(), wrong)).toEqual(rejection)
    expect(checked(seconds(), Number.POSITIVE_INFINITY)).toEqual(rejection)
    // S29: a date this far in the future cannot be stored.
    for (const tooLong of ['9223372036854775807', '99999999999', '9999999h', '3155760001'])
      expect(parsed(seconds(), tooLong)).toBe('must be at most 3155760000 seconds')
    expect(parsed(seconds({ whole: true }), '1500ms')).toEqual(rejection)
    expect(parsed(seconds({ min: 0.001 }), '0')).toEqual(rejection)
  })

  it('read rates and limits', () => {
    expect(parsed(rate, '30')).toEqual({ count: 30, perSeconds: 3600 })
    expect(parsed(rate, '30/15m')).toEqual({ count: 30, perSeconds: 900 })
    expect(checked(rate, 5)).toEqual({ count: 5, perSeconds: 3600 })
    expect(parsed(rate, 'off')).toBeNull()
    for (const wrong of ['', '-1', '30/', '30/0', '/1h', '1.5'])
      expect(parsed(rate, wrong)).toEqual(rejection)
    for (const wrong of [null, {}, Number.NaN]) expect(checked(rate, wrong)).toEqual(rejection)

    expect(parsed(limit, '150')).toBe(150)
    expect(parsed(limit, 'off')).toBeNull()
    expect(checked(limit, 0)).toBe(0)
    for (const wrong of ['', '-1', '30/1h']) expect(parsed(limit, wrong)).toEqual(rejection)
  })
})

describe('texts', () => {
  it('contain no control characters', () => {
    expect(checked(text, 'Acme — Ünïcode')).toBe('Acme — Ünïcode')
    expect(checked(text, 'Acme\r\nBcc: x')).toEqual(rejection)
    expect(checked(text, 5)).toEqual(rejection)
  })

  it('S45, S54: are names that SQL, HTTP and DNS accept unquoted', () => {
    for (const fine of ['auth', '_x9', 'a'.repeat(40)]) expect(checked(sqlName, fine)).toBe(fine)
    for (const wrong of ['Auth', '9x', 'a b', 'a"', 'ä', 'a'.repeat(41)]) {
      expect(checked(sqlName, wrong)).toEqual(rejection)
    }
    expect(checked(template, 'Hi {{ .Email }}\n')).toBe('Hi {{ .Email }}\n')
    expect(checked(template, 'Hi {{ if }}')).toBe(
      'must be a template, but at line 1, column 10: expected a value here',
    )
    for (const wrong of [5, 'a\0b']) expect(checked(template, wrong)).toBe('must be a string')
    expect(checked(headerName, 'X-Request-Id')).toBe('X-Request-Id')
    expect(checked(headerName, 'X: y')).toEqual(rejection)
    expect(checked(clientHeader, ' OFF ')).toBeNull()
    for (const fine of ['x-forwarded-for', 'Forwarded', 'cf-connecting-ip', 'x-client'])
      expect(checked(clientHeader, fine)).toBe(fine)
    for (const fine of ['mx.example.com', 'MX1.Example.com.', '203.0.113.7', '2001:db8::1', '::1'])
      expect(checked(mailHost, fine)).toBe(fine)
    // S54: none of these values would block a host.
    for (const wrong of [
      '"mx.example.com"',
      '*.example.com',
      'smtp://mx.example.com',
      'mx:25',
      '@',
    ])
      expect(checked(mailHost, wrong)).toEqual(rejection)
    // S45: with a header that no proxy sets, clients choose their own fairness key.
    for (const wrong of [
      'none',
      'No',
      'false',
      'disabled',
      '0',
      'null',
      'true',
      '-1',
      'User-Agent',
    ])
      expect(checked(clientHeader, wrong)).toEqual(rejection)
  })

  it('name a host, with or without a port', () => {
    for (const right of ['localhost', 'eu.example.com', 'eu.example.com:8443', '127.0.0.1:80'])
      expect(checked(hostAndPort, right)).toBe(right)
    for (const wrong of ['https://a.test', 'a.test/', 'A.test', 'a@b.test', 'a.test:', '.a', 'a b'])
      expect(checked(hostAndPort, wrong)).toEqual(rejection)
  })

  it('name a path to mount at', () => {
    expect(['/auth', '/auth/', '/a/b.c', '/'].map((path) => checked(mountPath, path))).toEqual([
      '/auth',
      '/auth',
      '/a/b.c',
      '',
    ])
    for (const wrong of ['auth', '/a/../b', '//a', '/a?b', '/a b']) {
      expect(checked(mountPath, wrong)).toEqual(rejection)
    }
  })
})

describe('URLs', () => {
  it('are web URLs without credentials', () => {
    expect(checked(webUrl, 'https://auth.example.com/v1//')).toBe('https://auth.example.com/v1')
    for (const wrong of [
      'auth.example.com',
      'ftp://x.y',
      'https://user:pass@x.y',
      'https://x y',
      'https:x.y',
      'https://x.y\\z',
      'https://',
    ]) {
      expect(checked(webUrl, wrong)).toEqual(rejection)
    }
  })

  it('may belong to an app, if they are the site', () => {
    for (const fine of [
      'https://app.example.com/?a=b',
      'acmeapp://login',
      'exp://127.0.0.1:8081',
    ]) {
      expect(checked(siteUrl, fine)).toBe(fine)
    }
    for (const wrong of ['javascript:alert(1)', '/home', 'https://', 'https://u:p@x.y']) {
      expect(checked(siteUrl, wrong)).toEqual(rejection)
    }
  })

  it('S53: may be paths, functions of the database, or databases', () => {
    expect(checked(urlOrPath, '/verify')).toBe('/verify')
    expect(checked(urlOrPath, 'https://links.example.com/open')).toBe(
      'https://links.example.com/open',
    )
    for (const wrong of ['verify', '//evil.example.com'])
      expect(checked(urlOrPath, wrong)).toEqual(rejection)

    const hook = 'pg-functions://postgres/auth/add_claims'
    expect(checked(hookUri, hook)).toBe(hook)
    expect(checked(hookUri, 'pg-functions://postgres/auth/a;b')).toEqual(rejection)

    expect(checked(postgresUrl, 'postgresql:///app?host=/run')).toBe('postgresql:///app?host=/run')
    expect(checked(postgresUrl, 'mysql://localhost')).toEqual(rejection)
    for (const fine of [
      'postgres://u:p%23@h/d?password=a@b',
      'postgres://u@/d?host=/run',
      'postgres://%2Frun/d',
    ])
      expect(checked(postgresUrl, fine)).toBe(fine)
    // S53: with an unencoded password the driver would connect to another host or none, and lose
    // TLS parameters.
    for (const wrong of [
      'postgres://u:1#p@db.example.com/d?sslmode=require',
      'postgres://u:p#p@db.example.com/d',
      'postgres://u:1/p@db.example.com/d',
      'postgres://u:p@[::1/d',
      'postgres://u:p@db.example.com:99999/d',
    ])
      expect(checked(postgresUrl, wrong)).toEqual(
        expect.stringMatching(/^must be a URL .* characters of the password encoded/),
      )
    // S29: the driver would ignore these parameters and connect without TLS.
    const url = 'postgres://u:p@db.example.com/app'
    for (const ignored of [
      'SSLMODE=require',
      'sslMode=require',
      'ssl_mode=require',
      'sslmode=',
      'sslmode=Require',
      'sslmode=bogus',
      'ssl=',
      'tls=true',
      'sslmode=verify-full&sslmode=disable',
      'application_name=a&ssl-mode=require',
    ])
      expect(checked(postgresUrl, `${url}?${ignored}`)).toEqual(rejection)
    for (const known of [
      'sslmode=verify-full&sslrootcert=/ca.pem',
      'ssl=true',
      'ssl=0',
      'host=/run',
    ])
      expect(checked(postgresUrl, `${url}?${known}`)).toBe(`${url}?${known}`)
  })
})

describe('lists and maps', () => {
  it('S40: are split at commas, without white space and empty items', () => {
    expect(parsed(list(), 'a, b,,c ')).toEqual(['a', 'b', 'c'])
    // S40: an empty list of addresses or prefixes permits all.
    for (const separators of [',', ' ', ' , ,\n']) {
      for (const kind of [list(), jsonOrList(), map('=')])
        expect(parsed(kind, separators)).toEqual(rejection)
    }
    expect(parsed(jsonOrList(), '[]')).toEqual([])
    expect(checked(list(), 'a,b')).toEqual(rejection)
    expect(list().check(['a', 5, ''])).toEqual({
      problems: [
        { message: 'must be a string', at: '[1]' },
        { message: 'must not be empty', at: '[2]' },
      ],
    })
    expect(checked(oneOrMore, 'web, app')).toEqual(['web', 'app'])
    expect(checked(oneOrMore, ['web,app'])).toEqual(['web,app'])
  })

  it('split sets of characters at colons that are not escaped', () => {
    expect(parsed(characterSets, 'abc::0123:!\\:-')).toEqual(['abc', '0123', '!:-'])
    expect(parsed(characterSets, '\\:')).toEqual([':'])
    expect(parsed(characterSets, ':::')).toEqual(rejection)
    expect(parsed(characterSets, 'ab\\')).toEqual(['ab\\'])
    expect(checked(characterSets, 'abc')).toEqual(rejection)
    expect(checked(characterSets, ['abc', ''])).toEqual(rejection)
  })

  it('pair names with values', () => {
    expect(parsed(map(':'), '15550001001:111111, 15550001002:222222')).toEqual({
      15550001001: '111111',
      15550001002: '222222',
    })
    expect(parsed(map('='), 'authorization=Basic YQ==')).toEqual({ authorization: 'Basic YQ==' })
    for (const wrong of ['a', 'a:', ':b']) expect(parsed(map(':'), wrong)).toEqual(rejection)
    expect(checked(map(':'), { a: 1 })).toEqual(rejection)
    expect(Object.getPrototypeOf(parsed(map(':'), '__proto__:x'))).toBe(Object.prototype)
  })

  it('contain headers of one line each', () => {
    expect(parsed(mailHeaders, '{"X-Team": ["auth"]}')).toEqual({ 'X-Team': ['auth'] })
    for (const wrong of [
      '{',
      '[]',
      '{"X": "auth"}',
      '{"X": [1]}',
      '{"X": ["a\\r\\nBcc: b"]}',
      '{"X:": []}',
    ]) {
      expect(parsed(mailHeaders, wrong)).toEqual(rejection)
    }
  })
})

describe('secrets', () => {
  const long = 'x'.repeat(32)

  it('are long enough, one or several', () => {
    expect(checked(rotatingSecrets, long)).toEqual([long])
    expect(checked(rotatingSecrets, `${long} , y${long}`)).toEqual([long, `y${long}`])
    expect(checked(rotatingSecrets, [`${long},${long}`])).toEqual([`${long},${long}`])
    expect(checked(rotatingSecrets, 'é'.repeat(16))).toEqual(['é'.repeat(16)])
    expect(rotatingSecrets.check(`${long},short`)).toEqual({
      problems: [{ message: 'must have at least 32 bytes, and has 5', at: '[1]' }],
    })
    for (const wrong of ['short', ',', [], 7, {}])
      expect(checked(rotatingSecrets, wrong)).toEqual(rejection)
  })

  it('of hooks have the form of Standard Webhooks', () => {
    const one = `v1,whsec_${Buffer.alloc(32, 1).toString('base64')}`
    expect(checked(hookSecrets, `${one}|${one}|`)).toEqual([one, one])
    expect(checked(hookSecrets, [one])).toEqual([one])
    expect(checked(hookSecrets, 'v1,whsec_short')).toEqual(rejection)
  })
})

describe('a point in time', () => {
  it('has the format of RFC 3339', () => {
    expect(checked(instant, '2030-01-31T12:00:00+01:00')).toEqual(new Date('2030-01-31T11:00:00Z'))
    expect(checked(instant, new Date(5))).toEqual(new Date(5))
    for (const wrong of [
      'tomorrow',
      '2030-01-31',
      '2030-13-01T00:00:00Z',
      5,
      new Date(Number.NaN),
    ]) {
      expect(checked(instant, wrong)).toEqual(rejection)
    }
  })
})

describe('a private key in PEM', () => {
  const pemOf = (namedCurve: string) =>
    generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' })

  it('is a P-256 key, with line breaks or escaped ones', () => {
    const pem = pemOf('P-256').toString()
    expect(checked(privateKeyPem, pem)).toBe(pem)
    expect(parsed(privateKeyPem, pem.trim().replaceAll('\n', '\\n'))).toBe(pem)
  })

  it('is not a key of another curve, a public key or another text', () => {
    const pem = pemOf('P-256').toString()
    for (const other of [pemOf('P-384'), pem.slice(0, 90), 'key', '', 5, null]) {
      expect(checked(privateKeyPem, other)).toEqual(rejection)
    }
  })
})
