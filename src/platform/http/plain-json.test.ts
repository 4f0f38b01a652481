import { describe, expect, it } from 'vitest'
import { parseJson, plainJson } from './plain-json.ts'

const read = (text: string) => plainJson(parseJson(text))

const nested = (levels: number): string => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`

describe('plain JSON', () => {
  it('is returned unchanged', () => {
    const value = {
      text: 'ü👩‍👩‍👧',
      number: -1.5,
      list: [1, null, { deep: true }],
      empty: {},
      '': '',
    }

    expect(read(JSON.stringify(value))).toEqual(value)
  })

  it.each(['[]', 'null', '"text"', '5', 'true'])('is an object, and not %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'bad_json', status: 400 }))
  })

  it('does not set a prototype', () => {
    const read1 = read('{"__proto__":{"admin":true},"data":{"__proto__":{"admin":true},"a":1}}')

    expect(Object.keys(read1)).toEqual(['data'])
    expect(read1.data).toEqual({ a: 1 })
    expect(Object.getPrototypeOf(read1.data)).toBe(Object.prototype)
    expect('admin' in {}).toBe(false)
  })

  it('keeps names of inherited members as values', () => {
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
  ])('contains no %s', (_, text) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: 'email: holds characters that cannot be stored',
      }),
    )
  })

  it('has a maximum depth, and the error names the field', () => {
    expect(() => read(nested(60))).not.toThrow()
    expect(() => read(nested(70))).toThrow('data: is nested too deeply')
    expect(() => read(nested(4_000))).toThrow('data: is nested too deeply')
  })

  it.each([
    ['lists in lists', nested(100_000)],
    ['members', JSON.stringify({ data: { ...Array.from({ length: 70_000 }, (_, key) => key) } })],
    ['objects', `[${'{}'.repeat(5_000)}]`],
  ])('H18: is rejected with many %s', (_, text) => {
    expect(() => read(text)).toThrow('body: holds more than 4096 values')
  })

  it('H18: may contain the maximum number of values', () => {
    const list = Array.from({ length: 4_097 }, () => 1_000)

    expect(read(JSON.stringify({ list }))).toEqual({ list })
    expect(() => read(JSON.stringify({ list: [...list, 1] }))).toThrow('4096 values')
  })

  it('contains no infinity after it is serialized', () => {
    expect(JSON.stringify(read('{"n":1e400,"m":-0}'))).toBe('{"n":null,"m":0}')
  })
})
