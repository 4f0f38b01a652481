import { describe, expect, it } from 'vitest'
import { readCases } from '../../../test/support/sql-formatter/read-cases.ts'
import { effectiveOptions } from './effective-options.ts'
import { formatSql } from './format-sql.ts'
import type { SqlFormatterConfig } from './formatter-config.ts'

interface Case {
  n: number
  shows: string
  config: SqlFormatterConfig
  input: string
  output?: string
  error?: string
}

/** The number of a sample in which joined operators become other ones. */
const hazard = 46

describe('formatSql', () => {
  it.each(readCases<Case>('formatting-cases'))(
    '$n: $shows',
    async ({ n, config, input, output, error }) => {
      if (error !== undefined) {
        const [message] = error.split('\n')
        await expect(formatSql(input, config)).rejects.toMatchObject({
          name: 'SqlFormatError',
          message,
        })
        return
      }
      const formatted = await formatSql(input, config)

      expect(formatted).toBe(`${output}\n`)
      expect(await formatSql(input, effectiveOptions(config))).toBe(formatted)
      if (n !== hazard) expect(await formatSql(formatted, config)).toBe(formatted)
    },
  )

  it("reports a syntax error in one line, however long the parser's message is", async () => {
    const failed = formatSql('select (a from t', { language: 'sql' })

    await expect(failed).rejects.toMatchObject({ name: 'SqlFormatError' })
    const { message } = await failed.catch((error) => error)
    expect(message).toMatch(/^Parse error at token: .* line 1 column 17$/)
  })

  it('reports the position of a syntax error whose token has several lines', async () => {
    const failed = formatSql('select :a;\n\nselect 2', { language: 'mysql' })

    await expect(failed).rejects.toThrow(/^Parse error: Unexpected ":a;… at line 1 column 8$/)
  })

  it('rejects a layout that exceeds the maximum length of a text', async () => {
    const config: SqlFormatterConfig = { language: 'sql', tabWidth: 2 ** 40 }

    await expect(formatSql('select 1', config)).rejects.toMatchObject({
      name: 'SqlFormatterConfigError',
    })
  })

  it('rejects an invalid configuration with all its defects', async () => {
    const config = { language: 'oracle', tabWidth: 0 } as unknown as SqlFormatterConfig

    await expect(formatSql('select 1', config)).rejects.toMatchObject({
      name: 'SqlFormatterConfigError',
      problems: [{ path: 'language' }, { path: 'tabWidth' }],
    })
  })

  it('passes known options to the formatter, and no others', async () => {
    const config = {
      $schema: './x.json',
      language: 'sql',
      tabWidth: undefined,
      expressionWidth: undefined,
      paramTypes: { named: undefined, custom: [{ regex: '\\{\\w+\\}', key: 1, note: 'x' }] },
    } as unknown as SqlFormatterConfig

    expect(await formatSql('select {a} from t', config)).toBe('select\n  {a}\nfrom\n  t\n')
    expect(effectiveOptions(config)).toEqual({
      language: 'sql',
      dataTypeCase: 'preserve',
      functionCase: 'preserve',
      keywordCase: 'preserve',
      identifierCase: 'preserve',
      denseOperators: false,
      expressionWidth: 50,
      linesBetweenQueries: 1,
      logicalOperatorNewline: 'before',
      newlineBeforeSemicolon: false,
      tabWidth: 2,
      useTabs: false,
      paramTypes: { custom: [{ regex: '\\{\\w+\\}' }] },
    })
  })

  it('removes a byte-order mark and carriage returns, and ends with one newline', async () => {
    const text = '\uFEFFselect 1;\r\n\r\n-- done\r\n\r\n\r\n'

    expect(await formatSql(text, { language: 'sql' })).toBe('select\n  1;\n\n-- done\n')
  })
})
