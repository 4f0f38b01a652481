import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** The rows of the table in CONTRIBUTING.md: `[METHOD, path, folder]`, the longest path first. */
const rows = [
  ...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(
    /^\| (`(?:[A-Z]+ )?\/.*`) \| `([a-z/-]+)` \|$/gm,
  ),
]
  .flatMap(([, paths = '', folder = '']) =>
    [...paths.matchAll(/`(?:([A-Z]+) )?(\/[^`]+)`/g)].map(
      ([, method = '', path = '']) => [method, path, folder] as const,
    ),
  )
  .toSorted(([a, b], [c, d]) => d.length - b.length || c.length - a.length)

const folderOf = (method: string, path: string): string =>
  rows.find(
    ([only, start]) =>
      (only === '' || only === method) && (path === start || path.startsWith(`${start}/`)),
  )?.[2] ?? `endpoints/${path.split('/')[1]}`

it('CONTRIBUTING.md leads from each endpoint to its folder', () => {
  const endpoints = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.endpoint.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(root, 'src', file), 'utf8')
      return [...text.matchAll(/method: '([A-Z]+)',\s+path: '([^']+)'/g)].map(
        ([, method = '', path = '']) => [method, path, dirname(file)] as const,
      )
    })

  expect(endpoints.length).toBeGreaterThan(50)
  const others = endpoints.filter(([method, path, folder]) => folderOf(method, path) !== folder)
  expect(others).toEqual([])
})
