import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const root = join(import.meta.dirname, '../..')
const fence = /<!-- runs: (?<name>[\w ]+) -->\n```js\n(?<code>[\s\S]*?)^```$/gm

/**
 * Returns the blocks of JavaScript on a page of the documentation, by the names in their comments:
 * `<!-- runs: sign in -->`.
 */
export function scriptsOf(page: string): Map<string, string> {
  const text = readFileSync(join(root, page), 'utf8')
  return new Map(
    [...text.matchAll(fence)].map(({ groups }) => [groups?.['name'] ?? '', groups?.['code'] ?? '']),
  )
}

/** A string, since the test runner would transform `import`. */
const importing = (module: string): string => `(async () => {
  const url = URL.createObjectURL(new Blob([${JSON.stringify(module)}], { type: 'text/javascript' }))
  const { results } = await import(url)
  return JSON.parse(JSON.stringify(results, function (key, value) {
    const told = this[key]
    return told instanceof Error ? { name: told.name, code: told.code } : value
  }))
})()`

/**
 * Runs a module in a page whose import map contains the packages.
 *
 * @param names the constants to return; of errors, name and code.
 */
export const runModule = (
  page: Page,
  code: string,
  names: readonly string[],
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the result of the page.
): Promise<Record<string, any>> =>
  page.evaluate(importing(`${code}\nexport const results = { ${names.join(', ')} }\n`))
