import { transformSync } from 'esbuild'
import { describe, expect, inject, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { acceptsConfigFile, commandUsages } from '../src/standalone/usage.ts'
import { type CodeBlock, codeBlocks, markdownPages, tokensOf } from './support/markdown.ts'
import { runSql } from './support/sql.ts'

/**
 * Returns the blocks of some languages. documented-code.test.ts compiles TypeScript; the site
 * renders pictures.
 */
const blocksIn = (...languages: string[]): CodeBlock[] =>
  codeBlocks.filter(({ language }) => languages.includes(language))

describe('blocks of JSON', () => {
  it.each(blocksIn('json'))('$at', ({ code }) => {
    expect(() => JSON.parse(code)).not.toThrow()
  })
})

describe('blocks of JavaScript', () => {
  it.each(blocksIn('js'))('$at', ({ code }) => {
    expect(() => transformSync(code, { loader: 'js', format: 'esm' })).not.toThrow()
  })
})

describe('blocks of SQL', () => {
  // The text after `return` is parsed, not executed.
  it.each(blocksIn('sql'))('$at', async ({ code }) => {
    const statements = code.trim().replace(/;?$/, ';')
    const parsed = runSql(
      inject('databaseUrl'),
      `do $parse$ begin return; ${statements} end $parse$`,
    )

    await expect(parsed).resolves.toBeDefined()
  })
})

/** Returns the commands of a shell line, each as its words, without leading assignments. */
function commandsIn(text: string): string[][] {
  return text
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .split(/\n|&&|\|\||[|;]/)
    .map((line) => line.trim().split(/\s+/))
    .map((words) => words.slice(words.findIndex((word) => !/^\w+=/.test(word))))
}

/** Returns the defect of a call of our command line; null for none, and for other programs. */
function problemWith(words: readonly string[]): string | null {
  const [first, ...rest] = words
  if (first === 'npx' && rest[0] === 'latchkey') return problemWith(rest)
  if (first === 'npm' && rest[0] === 'run') return problemWithScript(rest[1] ?? '')
  return first === 'latchkey' ? problemWithCommand(rest) : null
}

const problemWithScript = (name: string): string | null =>
  name in manifest.scripts ? null : `there is no script ${name}`

function problemWithCommand(args: readonly string[]): string | null {
  const usage =
    commandUsages.find(({ name }) => name === args.slice(0, 2).join(' ')) ??
    commandUsages.find(({ name }) => name === args[0])
  const isGroup = commandUsages.some(({ name }) => name.startsWith(`${args[0]} `))
  // A word in capitals is a placeholder.
  const isOpen = args.length === 0 || isGroup || /^[A-Z]+$/.test(args[0] ?? '')
  if (!usage) return isOpen ? null : `there is no command ${args.join(' ')}`
  const flags = args.map((arg) => arg.replace(/=.*/, '')).filter((arg) => /^--\w/.test(arg))
  const settings = acceptsConfigFile(usage.name) ? ['--config-dir', '--config'] : ['--config-dir']
  const known = [...(usage.takes.match(/--[\w-]+/g) ?? []), '--help', ...settings, '--version']
  const unknown = flags.filter((flag) => !known.includes(flag))
  return unknown.length === 0 ? null : `${usage.name} takes no ${unknown.join(', ')}`
}

const problemsIn = (text: string): string[] =>
  commandsIn(text)
    .map(problemWith)
    .filter((problem) => problem !== null)

describe('commands', () => {
  it.each(blocksIn('sh', 'bash'))('in the block at $at exist', ({ code }) => {
    expect(problemsIn(code)).toEqual([])
  })

  it.each(markdownPages)('in the text of %s exist', (page) => {
    const spans = tokensOf(page).flatMap((token) =>
      token.type === 'codespan' ? [token['text'] as string] : [],
    )

    expect(spans.flatMap((text) => problemsIn(text))).toEqual([])
  })

  it('with a typo are found', () => {
    expect(
      problemsIn('A=1 npx latchkey admin ban USER --forever\nlatchkey fly && npm run nothing'),
    ).toEqual([
      'admin ban takes no --forever',
      'there is no command fly',
      'there is no script nothing',
    ])
  })
})
