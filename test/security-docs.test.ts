import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')

const rows = [
  ...page.matchAll(/^\| ([THS]\d{2,3}|RFC \d{4} §[\d.]+) \| .+ \| `(.+)` \|$/gm),
].flatMap(([, number = '', files = '']) => files.split('`, `').map((file) => ({ number, file })))

it.each(rows)('docs/security.md names a test of $number in $file', ({ number, file }) => {
  const name = number.replaceAll('.', '\\.')
  expect(readFileSync(join(root, file), 'utf8')).toMatch(new RegExp(`\\b${name}(?![\\d.]*\\d)`))
})

it('docs/security.md contains every case', () => {
  const all = [
    ...Array.from({ length: 45 }, (_, index) => `T${String(index + 1).padStart(2, '0')}`),
    ...Array.from({ length: 35 }, (_, index) => `H${String(index + 1).padStart(2, '0')}`),
    ...Array.from({ length: 17 }, (_, index) => `RFC 9700 §4.${index + 1}`),
  ]
  expect(all.filter((number) => !page.includes(`| ${number} |`))).toEqual([])
})
