import { describe, expect, it } from 'vitest'
import { plainJson } from './plain-json.ts'

/** As it would arrive: `JSON.parse` alone makes an own property of `__proto__`. */
const read = (text: string) => plainJson(JSON.parse(text))

const nested = (levels: number): string => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`

describe('plain JSON', () => {
  it('is copied as it is', () => {
    const value = {
      text: 'ü👩‍👩‍👧',
      number: -1.5,
      list: [1, null, { deep: true }],
      empty: {},
      '': '',
    }

    expect(plainJson(value)).toEqual(value)
    expect(plainJson(value)).not.toBe(value)
  })

  it.each(['[]', 'null', '"text"', '5', 'true'])('is an object, and not %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'bad_json', status: 400 }))
  })

  it('reaches no prototype', () => {
    const read1 = read('{"__proto__":{"admin":true},"data":{"__proto__":{"admin":true},"a":1}}')

    expect(Object.keys(read1)).toEqual(['data'])
    expect(read1.data).toEqual({ a: 1 })
    expect(Object.getPrototypeOf(read1.data)).toBe(Object.prototype)
    expect('admin' in {}).toBe(false)
  })

  it('keeps other names that objects have anyway, as values', () => {
    const value = read('{"constructor":{"prototype":{"a":1}},"toString":"x","hasOwnProperty":null}')

    expect(Object.keys(value)).toEqual(['constructor', 'toString', 'hasOwnProperty'])
  })

  it.each([
    ['NUL', '{"email":"a\\u0000b"}'],
    ['NUL, deep inside', '{"email":{"a":[{"b":"\\u0000"}]}}'],
    ['NUL in a key', '{"email":{"a\\u0000":1}}'],
    ['half a surrogate pair', '{"email":"\\ud800"}'],
    ['the other half', '{"email":"a\\udc00"}'],
    ['half a pair in a key', '{"email":{"\\udbff":1}}'],
  ])('holds no %s', (_, text) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: 'email: holds characters that cannot be stored',
      }),
    )
  })

  it('is nested within reason, and says which field is not', () => {
    expect(() => read(nested(60))).not.toThrow()
    expect(() => read(nested(70))).toThrow('data: is nested too deeply')
    expect(() => read(nested(100_000))).toThrow('data: is nested too deeply')
  })

  it('knows no infinity once it is written down', () => {
    expect(JSON.stringify(read('{"n":1e400,"m":-0}'))).toBe('{"n":null,"m":0}')
  })
})
