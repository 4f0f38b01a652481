import { describe, expect, it } from 'vitest'
import { formatSql } from './format-sql.ts'
import type { SqlFormatterConfig } from './formatter-config.ts'
import type { SqlFormatterConfigError } from './formatter-errors.ts'
import { validateSqlFormatterConfig } from './validate-config.ts'

const withPatterns = (...patterns: string[]): SqlFormatterConfig => ({
  language: 'sql',
  paramTypes: { custom: patterns.map((regex) => ({ regex })) },
})

const emptyMatch = 'can match an empty text, and would not end'
const tooSlow = 'takes longer than a second, alone or with those before it'

async function messagesAbout(...patterns: string[]): Promise<string[]> {
  const problems = await validateSqlFormatterConfig(withPatterns(...patterns))
  expect(problems.map(({ kind }) => kind)).toEqual(problems.map(() => 'use'))
  return problems.map(({ path, message }) => `${path}: ${message}`)
}

describe('a regular expression', () => {
  it.each([
    ['', emptyMatch],
    ['x*', emptyMatch],
    ['(?:)', emptyMatch],
    ['$', emptyMatch],
    ['(?=,)', emptyMatch],
    ['(?!,)', emptyMatch],
    ['(?<=select)', emptyMatch],
    ['\\b', emptyMatch],
    ['q|(?=f)', emptyMatch],
    ['(', 'is not a regular expression: Unterminated group'],
    ['a)|(?:b', "is not a regular expression: Unmatched ')'"],
    ['\\-', 'is not a regular expression: Invalid escape'],
    ['{', 'is not a regular expression: Lone quantifier brackets'],
    ['a'.repeat(10_001), 'must be at most 10000 characters long (got 10001)'],
  ])('%j is rejected', async (pattern, message) => {
    expect(await messagesAbout(pattern)).toEqual([`paramTypes.custom[0].regex: ${message}`])
  })

  it.each(['(a+)+$', '(?:\\w+\\s?)*#', '(z|zz)+!', '(a?|){40}b'])(
    '%j, which takes years, is rejected in about a second without blocking the process',
    async (pattern) => {
      const startedAt = performance.now()
      let turns = 0
      const clock = setInterval(() => turns++, 20)

      const messages = await messagesAbout(pattern)

      clearInterval(clock)
      expect(messages).toEqual([`paramTypes.custom[0].regex: ${tooSlow}`])
      expect(performance.now() - startedAt).toBeLessThan(15_000)
      expect(turns).toBeGreaterThan(10)
    },
  )

  it('is reported with each of the others: those before the slow one, and those it kept from being tested', async () => {
    expect(await messagesAbout('\\{a\\}', 'x*', '(a+)+$', '\\{b\\}')).toEqual([
      `paramTypes.custom[1].regex: ${emptyMatch}`,
      `paramTypes.custom[2].regex: ${tooSlow}`,
      'paramTypes.custom[3].regex: was not tested, because an expression before it failed',
    ])
  })

  it('is not tested with half a million others, which would block the process for a minute', async () => {
    const custom = Array.from({ length: 500_000 }, () => ({ regex: '' }))
    const startedAt = performance.now()

    const problems = await validateSqlFormatterConfig({ language: 'sql', paramTypes: { custom } })

    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(problems).toEqual([
      {
        path: 'paramTypes.custom',
        kind: 'use',
        message: 'must be at most 10000 expressions (got 500000)',
      },
    ])
  })

  it.each(['\\{[a-zA-Z0-9_]+\\}', '\\$\\{[^}]*\\}', '%[sd]', '(?<=:)\\w+', '[^\\s\\w]\\w+\\?'])(
    '%j is accepted',
    async (pattern) => {
      expect(await messagesAbout(pattern)).toEqual([])
    },
  )
})

describe('a regular expression that is rejected on the text to format', () => {
  const failureOn = (text: string, pattern: string): Promise<SqlFormatterConfigError> =>
    formatSql(text, withPatterns(pattern)).then(
      () => expect.fail('it was formatted'),
      (error) => error,
    )

  it.each([
    ['matches nothing before a word of it', 'select zebra from t', '(?=zebra)', emptyMatch],
    [
      'would not fit into its thread with it',
      'x'.repeat(1e7),
      '@@',
      'cannot be tested: expressions and text have more than 10000000 characters',
    ],
    ['is exponential on it', `select ${'ab'.repeat(60)}`, '(?:ab|abab)+#', tooSlow],
    ['is quadratic on it', `select ${'ab '.repeat(100_000)}`, '[^#]*#', tooSlow],
  ])('%s', async (_, text, pattern, message) => {
    expect(await messagesAbout(pattern)).toEqual([])
    expect(await failureOn(text, pattern)).toMatchObject({
      name: 'SqlFormatterConfigError',
      message: `paramTypes.custom[0].regex: ${message}`,
      problems: [{ path: 'paramTypes.custom[0].regex', kind: 'use', message }],
    })
  })
})
