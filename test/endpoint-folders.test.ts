import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPage } from './support/markdown.ts'

const root = join(import.meta.dirname, '..')

/** The paths of a row of CONTRIBUTING.md, and the folder of their endpoints. */
const rows = [
  ...readPage('CONTRIBUTING.md').matchAll(/^\| .* \| (`.*) \| `(src\/.*)\/` \|$/gm),
].map(([, paths = '', folder = '']) => ({
  folder,
  paths: [...paths.matchAll(/(\/[^`]*)`/g)].map(([, path = '']) => path),
}))

const described = globSync('src/**/*.endpoint.ts', { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(
    ([, path = '']) => ({ folder: dirname(file), path }),
  ),
)

const contains = (path: string, other: string) => path === other || other.startsWith(`${path}/`)

/** The folders of the rows with the longest path that contains another. */
function foldersOf(path: string): string[] {
  const found = rows.flatMap(({ folder, paths }) =>
    paths.filter((one) => contains(one, path)).map((one) => ({ folder, length: one.length })),
  )
  const longest = Math.max(...found.map(({ length }) => length))
  return found.filter(({ length }) => length === longest).map(({ folder }) => folder)
}

describe('the table of endpoints in CONTRIBUTING.md', () => {
  it('names each folder with endpoints once', () => {
    const folders = new Set(described.map(({ folder }) => folder))
    expect(rows.map(({ folder }) => folder).toSorted()).toEqual([...folders].toSorted())
  })

  it.each(described)('leads from $path to $folder', ({ path, folder }) => {
    expect(foldersOf(path)).toContain(folder)
  })

  it('contains no path without an endpoint', () => {
    const unused = rows.flatMap(({ folder, paths }) =>
      paths.filter(
        (path) => !described.some((one) => one.folder === folder && contains(path, one.path)),
      ),
    )
    expect(unused).toEqual([])
  })
})
