import { Ajv, type ErrorObject } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCases } from '../../../test/support/sql-formatter/read-cases.ts'
import { configSchema } from './config-schema.ts'
import { sqlLanguages } from './formatter-config.ts'
import { schemaProblems } from './schema-problems.ts'
import { validateSqlFormatterConfig } from './validate-config.ts'

// JSON's 1e999 is a number to a schema.
const satisfies = new Ajv({ allErrors: true, strictNumbers: false }).compile(configSchema)

/** The paths of the defects that another validator finds with our schema. */
function pathsByAjv(config: unknown): string[] {
  satisfies(config)
  return [...new Set((satisfies.errors ?? []).map(pathOf))].toSorted()
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const names = instancePath.split('/').slice(1)
  const last = params['missingProperty'] ?? params['additionalProperty']
  return [...names, ...(last === undefined ? [] : [last])].reduce((path, name, at) => {
    if (/^\d+$/.test(name) && at < names.length) return `${path}[${name}]`
    if (!/^[\w$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
    return path === '' ? name : `${path}.${name}`
  }, '')
}

const pathsOf = (problems: readonly { path: string }[]) => problems.map(({ path }) => path)

describe('the schema and the validator', () => {
  it.each(readCases<{ config: unknown; path: string }>('refused-configs'))(
    'both reject $config, at "$path"',
    async ({ config, path }) => {
      const problems = await validateSqlFormatterConfig(config)

      expect(problems).toEqual([{ path, kind: 'schema', message: expect.any(String) }])
      expect(pathsByAjv(config)).toEqual([path])
    },
  )

  it.each(readCases<{ config: unknown }>('accepted-configs'))(
    'both accept $config',
    ({ config }) => {
      expect(schemaProblems(config)).toEqual([])
      expect(pathsByAjv(config)).toEqual([])
    },
  )

  it('agree on 10,000 configurations and on the places of their defects', () => {
    let right = 0
    fc.assert(
      fc.property(configurations, (config) => {
        const paths = pathsOf(schemaProblems(config)).toSorted()
        expect(paths).toEqual(pathsByAjv(config))
        if (paths.length === 0) right += 1
      }),
      { numRuns: 10_000 },
    )
    expect(right).toBeGreaterThan(1_000)
    expect(right).toBeLessThan(9_000)
  })
})

const nearlyRight = fc.constantFrom<unknown>(
  ...['', 'UPPER', 'upper', 'before', 'tsql', 'sql', '#', '?', ':', '2', '__proto__'],
  ...[null, true, 0, 1, -1, 2.5, 4, 1e-9, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
)
const anything = fc.oneof(nearlyRight, fc.jsonValue({ maxDepth: 2 }))

/** Mostly valid values: with fourteen properties, few invalid ones make the whole invalid. */
const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: anything })

const word = (...words: readonly string[]) => mostly(fc.constantFrom(...words))
const casing = word('preserve', 'upper', 'lower')
const width = mostly(fc.constantFrom(0.5, 1, 50, 1e6, Number.POSITIVE_INFINITY))
const toggle = mostly(fc.boolean())
const list = (item: fc.Arbitrary<unknown>) => mostly(fc.array(item, { maxLength: 3 }))

/**
 * An object of some of these properties, and sometimes of another one, inherited names included.
 */
const objectOf = (properties: Record<string, fc.Arbitrary<unknown>>) => {
  const others = fc.oneof(
    { weight: 20, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(fc.tuple(strangeName, anything)) },
  )
  return fc
    .tuple(fc.record(properties, { requiredKeys: [] }), others)
    .map(([known, more]) => Object.fromEntries([...Object.entries(known), ...more]))
}
const strangeName = fc.oneof(
  fc.constantFrom('indentStyle', 'KeywordCase', '__proto__', 'constructor', 'a.b', ''),
  fc.string(),
)

const paramTypes = mostly(
  objectOf({
    positional: toggle,
    numbered: list(word('?', ':', '$')),
    named: list(word(':', '@', '$')),
    quoted: list(word(':', '@', '$')),
    custom: list(mostly(objectOf({ regex: mostly(fc.string()), note: anything }))),
  }),
)

const languages = { arbitrary: word(...sqlLanguages), weight: 30 }
const configurations = fc.oneof(
  { weight: 1, arbitrary: anything },
  {
    weight: 30,
    arbitrary: fc
      .tuple(
        fc.oneof(languages, { weight: 1, arbitrary: fc.constant(undefined) }),
        objectOf({
          $schema: mostly(fc.string()),
          dataTypeCase: casing,
          functionCase: casing,
          keywordCase: casing,
          identifierCase: casing,
          denseOperators: toggle,
          expressionWidth: width,
          linesBetweenQueries: width,
          logicalOperatorNewline: word('before', 'after'),
          newlineBeforeSemicolon: toggle,
          tabWidth: mostly(fc.constantFrom(1, 2, 8, Number.POSITIVE_INFINITY)),
          useTabs: toggle,
          paramTypes,
        }),
      )
      .map(([language, others]) => (language === undefined ? others : { language, ...others })),
  },
)

describe('the defects of a configuration', () => {
  it('are reported together, in words, with the given values', async () => {
    const problems = await validateSqlFormatterConfig({
      keywordCase: 'UPPER',
      tabWidth: 0,
      expressionWidth: '50',
      useTabs: 1,
      indentStyle: 'standard',
      KeywordCase: 'upper',
      'a b': 1,
      paramTypes: { positional: 'x'.repeat(100), named: [':', '?'], quoted: {}, custom: [[], {}] },
    })

    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'language: is required',
      'keywordCase: must be one of "preserve", "upper", "lower" (got "UPPER")',
      'tabWidth: must be an integer greater than 0 (got 0)',
      'expressionWidth: must be a number greater than 0 (got "50")',
      'useTabs: must be true or false (got 1)',
      'indentStyle: unknown property',
      'KeywordCase: unknown property; did you mean keywordCase?',
      '["a b"]: unknown property',
      `paramTypes.positional: must be true or false (got "${'x'.repeat(40)}…")`,
      'paramTypes.named[1]: must be one of ":", "@", "$" (got "?")',
      'paramTypes.quoted: must be a list (got an object)',
      'paramTypes.custom[0]: must be an object (got a list)',
      'paramTypes.custom[1].regex: is required',
    ])
  })

  it('are of one kind for violations of the schema, and of another for defects in use', async () => {
    const config = JSON.parse(`{
      "language": "SQL", "tabWidth": 1e999, "linesBetweenQueries": 1e999, "expressionWidth": -1e999,
      "paramTypes": { "custom": [{ "regex": "(" }, { "regex": "\\\\{\\\\w+\\\\}" }, 1, { "regex": "" }] }
    }`)

    const problems = await validateSqlFormatterConfig(config)

    expect(problems.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'schema language',
      'schema expressionWidth',
      'schema paramTypes.custom[2]',
      'use linesBetweenQueries',
      'use tabWidth',
      'use paramTypes.custom[0].regex',
      'use paramTypes.custom[3].regex',
    ])
  })

  it('reject repetitions that would exceed the memory', async () => {
    const most = {
      language: 'sql',
      tabWidth: 1000,
      linesBetweenQueries: 1000,
      expressionWidth: 1e9,
    }
    expect(await validateSqlFormatterConfig(most)).toEqual([])
    expect(
      await validateSqlFormatterConfig({ ...most, tabWidth: 1001, linesBetweenQueries: 1e9 }),
    ).toEqual(
      ['linesBetweenQueries', 'tabWidth'].map((path) => ({
        path,
        kind: 'use',
        message: 'must be at most 1000',
      })),
    )
  })

  it.each([undefined, Number.NaN, 1n, Symbol('s'), () => 1, new Date()])(
    'are found in any value of code: %o',
    async (value) => {
      const ofWhole = await validateSqlFormatterConfig(value)
      const ofPart = await validateSqlFormatterConfig({ language: value, tabWidth: value })

      expect(ofWhole).not.toEqual([])
      expect(pathsOf(ofPart)).toContain('language')
    },
  )

  it('do not include properties that are undefined', async () => {
    const config = { language: 'sqlite', tabWidth: undefined, paramTypes: { named: undefined } }

    expect(await validateSqlFormatterConfig(config)).toEqual([])
  })
})
