import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sections } from './sections.ts'

/** The text of every page, one after the other, for programs that take all of it at once. */
export function renderLlmsFull(): string {
  const names = sections.flatMap(({ pages }) => Object.keys(pages))
  const files = names.map((name) => join(import.meta.dirname, '..', `${name}.md`))
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))
  return texts.join('\n---\n\n')
}
