import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { threadMs } from '../../../test/support/main-thread.ts'
import { matchesGlob, parseGlob } from './glob.ts'

function matches(pattern: string, text: string): boolean {
  const globs = parseGlob(pattern)
  if (typeof globs === 'string') throw new Error(globs)
  return globs.some((glob) => matchesGlob(glob, text))
}

describe('a glob', () => {
  it.each([
    ['*', 'abc', true],
    ['*', '', true],
    ['*', 'a.b', false],
    ['*', 'a/b', false],
    ['a*c', 'ac', true],
    ['a*c', 'abbbc', true],
    ['a*c', 'abbbcd', false],
    ['**', 'a.b/c', true],
    ['***', 'a/b', true],
    ['a**b', 'ab', true],
    ['**a*b', 'xa/ab', true],
    ['*a*', 'aaa', true],
    ['?', 'a', true],
    ['?', '🙂', true],
    ['?', '.', false],
    ['?', '/', false],
    ['?', '', false],
    ['?', 'ab', false],
    ['[abc]', 'b', true],
    ['[abc]', 'd', false],
    ['[a-cx-z]', 'y', true],
    ['[a-c]', 'd', false],
    ['[!a-c]', 'd', true],
    ['[!a-c]', 'a', false],
    ['[a-]', '-', true],
    ['[\\]]', ']', true],
    ['{a,b}c', 'bc', true],
    ['{a,b}c', 'abc', false],
    ['{,s}x', 'x', true],
    ['{a,{b,c*}}d', 'cccd', true],
    ['{a/b,c}', 'a/b', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['\\\\', '\\', true],
    ['a,b}', 'a,b}', true],
    [']', ']', true],
    ['a.c', 'abc', false],
    ['(a|b)+$', '(a|b)+$', true],
    ['', '', true],
    ['', 'a', false],
  ])('%j and %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })

  it.each([
    ['[a', 'has no "]" for its "["'],
    ['[', 'has no "]" for its "["'],
    ['[a-', 'has no "]" for its "["'],
    ['[]', 'has an empty "[]"'],
    ['[!]', 'has an empty "[]"'],
    ['[z-a]', 'has the range "z-a", which ends before it starts'],
    ['{a', 'has no "}" for its "{"'],
    ['{a,', 'has no "}" for its "{"'],
    ['{a,{b}', 'has no "}" for its "{"'],
    ['a\\', 'has no character after its last "\\"'],
    ['{a,b}'.repeat(9), 'has more than 256 alternatives'],
  ])('is malformed: %s %s', (pattern, problem) => {
    expect(parseGlob(pattern)).toBe(problem)
  })

  it('agrees with a regular expression of the same meaning', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      '/',
      '*',
      '**',
      '?',
      '[ab]',
      '[!a]',
      '{a,b}',
      '{,/}',
    )
    const character = fc.constantFrom('a', 'b', '.', '/')
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 7 }),
        fc.array(character, { maxLength: 9 }),
        (parts, text) => {
          // Two adjacent stars are one run that crosses separators.
          const pattern = parts.join('')
          const source = pattern
            .replaceAll('.', '\\.')
            .replaceAll('?', '[^./]')
            .replace(/\*+/g, (stars) => (stars.length > 1 ? '[^]*' : '[^./]*'))
            .replaceAll('[!a]', '[^a]')
            .replaceAll('{a,b}', '(?:a|b)')
            .replaceAll('{,/}', '(?:|/)')
          expect(matches(pattern, text.join(''))).toBe(
            new RegExp(`^${source}$`).test(text.join('')),
          )
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('takes time linear in the text and the pattern', async () => {
    const time = (length: number) =>
      threadMs(() => expect(matches(`${'**a'.repeat(12)}b`, 'a'.repeat(length))).toBe(false))
    await time(1000)
    // Backtracking would not end in a lifetime.
    expect(await time(20_000)).toBeLessThan(2_000)
  })
})
