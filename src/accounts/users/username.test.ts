import { describe, expect, it } from 'vitest'
import { readOwnUsername, readUsername, usernameKey } from './username.ts'

describe('a user name', () => {
  it.each([
    ['Ada', 'ada'],
    ['ada.lovelace_1815-x', 'ada.lovelace_1815-x'],
    ['Ｇrace', 'grace'],
    ['ﬁona', 'fiona'],
    ['Łukasz', 'łukasz'],
    ['Ελένη', 'ελένη'],
    ['李小龙', '李小龙'],
    ['e\u0301mile', 'émile'],
    ['007', '007'],
    ['אב-12', 'אב-12'],
    ['محمد١', 'محمد١'],
    ['ا\u064e\u0651حمد', 'ا\u064e\u0651حمد'],
    ['नमस्ते', 'नमस्ते'],
    ['Tiếng', 'tiếng'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['𝓐da', 'ada'],
  ])('reads %s as %s', (text, name) => {
    expect(readUsername(text)).toBe(name)
  })

  it.each(['', 'ab', 'a'.repeat(65), 'a'.repeat(100_000), '\ufdfa\ufdfa\ufdfa\ufdfa'])(
    'rejects a wrong length (%#)',
    (text) => {
      expect(() => readUsername(text)).toThrow(/^username: has to have 3 to 64 characters$/)
    },
  )

  it.each([
    'ada@example.test',
    'ada lovelace',
    '.ada',
    'ada-',
    '_ada_',
    'ada\u0000',
    'ad\u200ba',
    'ad\u200da',
    'ada\ufe0f',
    'ada\u3164',
    'ada\u202e',
    '\u0301ada',
    'ada🙂',
    'ada/..',
    'ada\ud800',
    // S60
    'ada\u0488',
    'ada\u20dd',
    'a\u0316\u0317\u0318\u0319\u031ada',
    'a\u0316\u0316da',
    'ada_\u0332x',
    'ada0\u0323',
    'a\u0335da',
    'م\u0640حمد',
    '12-אבג',
    'adaאב',
    'אבada',
    'אב1\u0661',
  ])('rejects other characters: %j', (text) => {
    expect(() => readUsername(text)).toThrow(/^username: may contain/)
  })

  it('rejects a reserved name, and one that looks like it', () => {
    for (const text of ['admin', 'Admin', 'аdmin', 'ａｄｍｉｎ', 'adrnin']) {
      expect(() => readOwnUsername(text, ['Admin'])).toThrow(
        /^username: This user name is reserved/,
      )
    }
    expect(readOwnUsername('admins', ['admin'])).toBe('admins')
  })
})

describe('the key of a user name', () => {
  it.each([
    ['admin', 'ADMIN'],
    ['admin', '\u0430dmin'],
    ['paypal', 'рауpаl'],
    ['scope', 'ѕсоре'],
    ['oscar', '0scar'],
    ['lee', '1ee'],
    ['modern', 'rnodern'],
    ['strasse', 'straße'],
    ['ian', 'ıan'],
    // S61
    ['admin', 'admi\u0307n'],
    ['admin', 'admİn'],
    ['admin', 'adm\u0131\u0307n'],
    ['admi\u0323n', 'admi\u0323\u0307n'],
    ['viii', 'ⅷ'],
    ['σοφος', 'σοφοσ'],
  ])('is the same for %s and %s', (one, other) => {
    expect(usernameKey(one)).toBe(usernameKey(other))
  })

  it.each([
    ['ada', 'adam'],
    ['ali', 'all'],
    ['émile', 'emile'],
    ['a.b.c', 'abc'],
  ])('differs for %s and %s', (one, other) => {
    expect(usernameKey(one)).not.toBe(usernameKey(other))
  })

  it('is that of the stored name, and its own key, for every character', () => {
    const characters = Array.from({ length: 0x3_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((one) => /[\p{L}\p{M}\p{N}]/u.test(one))
    const stored = (one: string) => one.normalize('NFKC').toLowerCase().normalize('NFKC')

    const different = characters.filter((one) => usernameKey(stored(one)) !== usernameKey(one))
    const unsettled = characters.filter((one) => usernameKey(usernameKey(one)) !== usernameKey(one))

    expect(different).toEqual([])
    expect(unsettled).toEqual([])
  })

  it('is empty for a text that is longer than any name, without work', () => {
    expect(usernameKey('a'.repeat(10_000_000))).toBe('')
  })
})
