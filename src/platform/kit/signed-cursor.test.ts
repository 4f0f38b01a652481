import { describe, expect, it } from 'vitest'
import { extractRoots } from './derived-keys.ts'
import { readCursor, signCursor } from './signed-cursor.ts'

const roots = extractRoots('a root')
const scope = ['users', 'authenticated', null]
const position = ['2026-01-01T00:00:00.000001+00:00', 'x']
const cursor = signCursor(roots, scope, position)
const [place = '', proof = ''] = cursor.split('.')

describe('a cursor (T42)', () => {
  it('is valid for the list that it was created for', () => {
    expect(readCursor(roots, scope, cursor)).toEqual(position)
  })

  it('is valid under a root that is about to be replaced', () => {
    expect(readCursor(extractRoots('a new root', 'a root'), scope, cursor)).toEqual(position)
  })

  it.each([
    ['another list', ['audit', 'authenticated', null]],
    ['another question', ['users', 'authenticated', 'ada']],
    ['a question that is spelled alike', ['users', 'authenticated', 'null']],
    ['a question with its parts cut elsewhere', ['users', 'authenticated', null, place]],
    ['none', []],
  ])('is invalid for %s', (_case, other) => {
    expect(readCursor(roots, other, cursor)).toBeNull()
  })

  it.each([
    ['nothing', ''],
    ['a place alone', place],
    ['a place without its proof', `${place}.`],
    ['a proof alone', `.${proof}`],
    ['another place', `${Buffer.from('["9","y"]').toString('base64url')}.${proof}`],
    ['a longer one', `${cursor}.x`],
    ['a shorter one', cursor.slice(0, -1)],
    ['one of another root', signCursor(extractRoots('another'), scope, position)],
    ['anything', '\0.\ud800'],
  ])('is not %s', (_case, other) => {
    expect(readCursor(roots, scope, other)).toBeNull()
  })
})
