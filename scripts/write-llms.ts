/** Generates docs/llms.txt from the titles and first sentences of the pages: `npm run docs`. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sections } from '../docs/.vitepress/sections.ts'

const docs = join(import.meta.dirname, '../docs')

const introduction = `# Latchkey

> Authentication inside a Node application: sign-up, sign-in, sessions and users in the application's own process and PostgreSQL
> database. It speaks the wire protocol of @supabase/auth-js.

The package is \`latchkey\` on npm, an ES module for Node 22.17 or newer. \`createAuth(config)\` returns the service; \`auth.fetch\` responds to requests;
\`auth.api\` and \`auth.admin\` are the same as functions. Examples in TypeScript are compiled by the tests.
`

/** @see https://llmstxt.org */
export function renderLlms(): string {
  const parts = sections.map(({ title, pages }) => {
    const lines = Object.keys(pages)
      .filter((page) => existsSync(join(docs, `${page}.md`)))
      .map(renderLine)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return [introduction, ...parts, optional].join('\n')
}

const optional = `## Optional

- [OpenAPI document](openapi.json): every endpoint, for programs.
`

function renderLine(page: string): string {
  const [title = page, ...rest] = readFileSync(join(docs, `${page}.md`), 'utf8')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
  return `- [${title.replace(/^# /, '')}](${page}.md): ${firstSentence(rest)}`
}

/** Returns the first sentence of the first text paragraph. Links are replaced by their text. */
function firstSentence(paragraphs: readonly string[]): string {
  const text = paragraphs.find((paragraph) => !/^(?:#|\||```|- |\d+\. )/.test(paragraph)) ?? ''
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return /^.*?[.:?](?=\s[A-Z“‘`]|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
