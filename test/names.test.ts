import { describe, expect, it } from 'vitest'
import { privateNamesIn, typesExportedTwice } from '../scripts/check-names.mjs'

describe('the check of names', () => {
  it.each([
    ['a variable', 'const isTold = true'],
    ['a function', 'export async function forgetUser() {}'],
    ['a type', 'export interface NewcomerInput {}'],
    ['a parameter', 'const send = (stranger: string) => stranger.length'],
    ['a second parameter', 'call((one, nobody) => one)'],
    ['a member', 'interface Input {\n  saidByOperator: string\n}'],
    ['a method', 'const gate = {\n  knock() {},\n}'],
    ['a destructured name', 'const { body: told } = response'],
    ['a list of names', 'const [first, doorOfUsers] = entries'],
  ])('finds a private word in the name of %s', (_, source) => {
    expect(privateNamesIn({ path: 'src/one.ts', source })).toHaveLength(1)
  })

  it('finds a private word in the name of a file', () => {
    expect(privateNamesIn({ path: 'src/newcomer.ts', source: '' })).toHaveLength(1)
  })

  it.each([
    ['a comment', '// The door is told.'],
    ['a string', "const name = 'nobody'"],
    ['a statement', 'const text = `select told from door`'],
    ['a part of a word', 'const indoor = retelling'],
  ])('ignores %s', (_, source) => {
    expect(privateNamesIn({ path: 'src/one.ts', source })).toEqual([])
  })

  it('finds a type that two files export', () => {
    const source = 'export interface Grant {}'
    const files = ['src/a.ts', 'src/b.ts'].map((path) => ({ path, source }))

    expect(typesExportedTwice(files)).toEqual([
      'the type Grant is exported by src/a.ts and src/b.ts',
    ])
    expect(typesExportedTwice(files.slice(1))).toEqual([])
  })
})
