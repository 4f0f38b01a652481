import { sqlLanguages } from './formatter-config.ts'

/** The part of JSON Schema that describes a configuration. */
export interface FormatterSchema {
  $schema?: string
  title?: string
  description?: string
  type: 'object' | 'array' | 'string' | 'boolean' | 'number' | 'integer'
  default?: unknown
  enum?: readonly string[]
  exclusiveMinimum?: number
  properties?: Readonly<Record<string, FormatterSchema>>
  required?: readonly string[]
  /** Absent where other properties are allowed. */
  additionalProperties?: false
  items?: FormatterSchema
}

const words = (...words: string[]): FormatterSchema => ({ type: 'string', enum: words })

const casing = (what: string): FormatterSchema => ({
  description: `Letter case of ${what}.`,
  ...words('preserve', 'upper', 'lower'),
})

const toggle = (description: string): FormatterSchema => ({
  description,
  type: 'boolean',
  default: false,
})

const listOf = (description: string, items: FormatterSchema): FormatterSchema => ({
  description,
  type: 'array',
  items,
})

const paramTypes: FormatterSchema = {
  description: 'The placeholders of the text. Each key replaces the default of the language.',
  type: 'object',
  additionalProperties: false,
  properties: {
    positional: { description: 'Whether there is `?`.', type: 'boolean' },
    numbered: listOf('Placeholders such as `?1`, `:2` and `$3`.', words('?', ':', '$')),
    named: listOf('Placeholders such as `:name`, `@name` and `$name`.', words(':', '@', '$')),
    quoted: listOf('Placeholders with quotes, such as `:"name"`.', words(':', '@', '$')),
    custom: listOf('Placeholders that a regular expression matches.', {
      type: 'object',
      required: ['regex'],
      properties: {
        regex: { description: 'Read with the flags `u` and `y`.', type: 'string' },
      },
    }),
  },
}

/**
 * The schema of a configuration. The validator reads it, and the package contains it as a file for
 * editors.
 */
export const configSchema: FormatterSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'SQL formatter configuration',
  type: 'object',
  required: ['language'],
  additionalProperties: false,
  properties: {
    $schema: { description: 'The schema to verify this file against.', type: 'string' },
    language: {
      description: 'The language of the text. `sql` is the common subset of most languages.',
      ...words(...sqlLanguages),
    },
    dataTypeCase: casing('names of types'),
    functionCase: casing('built-in functions'),
    keywordCase: casing('reserved words'),
    identifierCase: casing('unquoted names (experimental)'),
    denseOperators: toggle('No spaces around operators, except AND, OR and XOR.'),
    expressionWidth: {
      description: 'Longer expressions in parentheses are broken into lines.',
      type: 'number',
      exclusiveMinimum: 0,
      default: 50,
    },
    linesBetweenQueries: {
      description: 'Empty lines between statements.',
      type: 'number',
      exclusiveMinimum: 0,
      default: 1,
    },
    logicalOperatorNewline: {
      description: 'Whether the line breaks before or after AND, OR and XOR.',
      ...words('before', 'after'),
      default: 'before',
    },
    newlineBeforeSemicolon: toggle('Puts the semicolon on its own line.'),
    tabWidth: {
      description: 'Spaces for each level.',
      type: 'integer',
      exclusiveMinimum: 0,
    },
    useTabs: toggle('A tab for each level; `tabWidth` has no effect then.'),
    paramTypes,
  },
}
