import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const region = /^( *)\/\/ #region (\S+)\n([\s\S]*?)\n *\/\/ #endregion$/gm

/**
 * Returns the regions of a source by name, without their indentation: the code that the
 * documentation copies.
 *
 * @param file the path from the root of the repository.
 */
export function regionsOf(file: string): ReadonlyMap<string, string> {
  const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  return new Map(
    [...source.matchAll(region)].map(([, indent = '', name = '', code = '']) => [
      name,
      code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ]),
  )
}

/**
 * Returns a page of docs/ with the code of each region after its comment,
 * `<!-- from: FILE#REGION -->`.
 */
export function pageWithRegions(page: string): string {
  const text = readFileSync(join(import.meta.dirname, '../docs', page), 'utf8')
  return text.replaceAll(
    /(<!-- from: ([^\s#]+)#(\S+) -->\n```ts\n)[\s\S]*?(?=^```$)/gm,
    (_, start: string, file: string, name: string) => {
      const code = regionsOf(file).get(name)
      if (code === undefined) throw new Error(`${file} has no region ${name}`)
      return `${start}${code}\n`
    },
  )
}
