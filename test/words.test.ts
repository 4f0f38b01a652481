import { describe, expect, it } from 'vitest'
import { countIn, excessOf } from '../scripts/check-words.mjs'

const found = (path: string, source: string) => {
  const { idioms, openings } = countIn(path, source)
  return [...idioms, ...openings].map(({ place, text }) => `${place} ${text}`)
}

describe('the check of words', () => {
  it.each([
    ['a comment', 'src/one.ts', '// Nobody signs in.'],
    ['a comment after code', 'src/one.ts', 'const a = 1 // for whoever asks not'],
    ['a doc comment', 'src/one.ts', '/** Returns a token to somebody. */'],
    ['a test name', 'test/one.test.ts', "it('rejects what was told', () => {})"],
    ['a name of a table of tests', 'test/one.test.ts', "it.each([1])('tells %s', () => {})"],
    ['an error', 'src/one.ts', "throw new Error('nobody takes it')"],
    ['a sentence in a string', 'src/one.ts', 'const text = `The token is $' + "{'x'} gone again`"],
    ['documentation', 'docs/one.md', 'The server says which.'],
    ['a comment of a workflow', '.github/workflows/ci.yml', 'on: push\n# It is told nothing.'],
  ])('finds an idiom in %s', (_, path, source) => {
    expect(found(path, source).length).toBeGreaterThan(0)
  })

  it.each([
    ['an identifier', 'src/one.ts', 'const nobody = told'],
    ['code in a comment', 'src/one.ts', '// `nobody` is the name.'],
    ['a quotation', 'docs/one.md', 'The page states "nobody".'],
    ['a value in a workflow', '.github/workflows/ci.yml', 'name: told'],
    ['a block of code', 'docs/one.md', '```ts\n// nobody\n```'],
    ['a statement', 'src/one.ts', 'const text = `select told from nobody where said = 1`'],
    ['a regular expression', 'src/one.ts', "const one = /nobody's/"],
    ['a value in a test', 'test/one.test.ts', "expect(text).toBe('nobody is told of it')"],
  ])('ignores %s', (_, path, source) => {
    expect(found(path, source)).toEqual([])
  })

  it('states the line of a finding', () => {
    expect(found('src/one.ts', '\n/**\n * A token.\n *\n * Nobody has it.\n */')).toEqual([
      'src/one.ts:5 Nobody',
    ])
  })

  it('finds a doc comment that begins with a clause', () => {
    const source = '/** What a token contains. */\n/** Of a user. */\n/** A token. */'
    expect(countIn('src/one.ts', source)).toMatchObject({ docs: 3, openings: [{}, {}] })
  })

  it('finds a doc comment with more than 100 columns, except in URLs and code', () => {
    const long = 'word '.repeat(20)
    const source = `/** ${long}*/\n/**\n * A text.\n * @see https://${'x'.repeat(99)}\n * \`\`\`ts\n * ${long}\n * \`\`\`\n */`
    expect(countIn('src/one.ts', source)).toMatchObject({ docs: 2, wide: [{}] })
  })

  it('reports a folder only when it exceeds its budget', () => {
    const sum = countIn('src/one.ts', `// nobody ${'word '.repeat(99)}`)
    expect(excessOf('src', sum, { idioms: 10, openings: 1, wide: 1 })).toEqual([])
    expect(excessOf('src', sum, { idioms: 9, openings: 1, wide: 1 })).toEqual([
      'src: 10.0 idioms per 1,000 words exceed 9',
      expect.stringContaining('src/one.ts:1: "nobody"; write a role'),
    ])
  })
})
