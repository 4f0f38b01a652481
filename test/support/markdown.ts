import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked, type Token } from 'marked'

const root = join(import.meta.dirname, '../..')

/** Every Markdown page for readers, from the root of the repository. */
export const markdownPages: readonly string[] = globSync(
  ['*.md', 'docs/*.md', 'bench/*.md', 'examples/**/*.md'],
  { cwd: root, exclude: ['**/node_modules/**'] },
).toSorted()

/** Returns all tokens of a page in reading order, nested ones after their parents. */
export function tokensOf(page: string): Token[] {
  const tokens: Token[] = []
  marked.walkTokens(marked.lexer(readPage(page)), (token) => void tokens.push(token))
  return tokens
}

/** Returns the text of a page without the front matter of the site. */
export const readPage = (page: string): string =>
  readFileSync(join(root, page), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')

/** A block of code. */
export interface CodeBlock {
  /** The place where it begins: `docs/users.md:12`. */
  at: string
  language: string
  code: string
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm

/** The blocks of code of all pages. */
export const codeBlocks: readonly CodeBlock[] = markdownPages.flatMap((page) => {
  const text = readPage(page)
  return [...text.matchAll(fence)].map(({ index, 1: language = '', 2: code = '' }) => ({
    at: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    language,
    code,
  }))
})
