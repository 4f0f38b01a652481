import { describe, expect, it } from 'vitest'
import { commonStatements, ownStatements } from '../../../test/support/sql-formatter/corpus.ts'
import { formatSql } from './format-sql.ts'
import { type SqlFormatterConfig, sqlLanguages } from './formatter-config.ts'

/** Layouts without dense operators, which may change the meaning. */
const layouts: Record<string, Omit<SqlFormatterConfig, 'language'>> = {
  'by the defaults': {},
  'with everything else': {
    keywordCase: 'upper',
    dataTypeCase: 'upper',
    functionCase: 'lower',
    identifierCase: 'lower',
    expressionWidth: 20,
    linesBetweenQueries: 2,
    logicalOperatorNewline: 'after',
    newlineBeforeSemicolon: true,
    tabWidth: 3,
  },
  'with tabs, and as wide as may be': {
    useTabs: true,
    expressionWidth: 1e6,
    keywordCase: 'lower',
    identifierCase: 'upper',
  },
}

describe.each(Object.entries(layouts))('formatted twice, %s', (_, layout) => {
  it.each(sqlLanguages)('%s does not change', async (language) => {
    const config: SqlFormatterConfig = { ...layout, language }
    const statements = [...commonStatements, ...ownStatements[language]]

    for (const text of [...statements, statements.join(';\n')]) {
      const once = await formatSql(text, config)
      expect(once).toMatch(/[^\n]\n$/)
      expect(await formatSql(once, config)).toBe(once)
    }
  })
})

it('a text with joined operators may change its meaning, as documented', async () => {
  const config: SqlFormatterConfig = {
    language: 'postgresql',
    denseOperators: true,
    identifierCase: 'lower',
    paramTypes: { named: ['@'] },
  }

  const once = await formatSql('select 1 where a < @Max', config)

  expect(once).toContain('a<@Max')
  expect(await formatSql(once, config)).toContain('a<@max')
})
