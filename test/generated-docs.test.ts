import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generatedSources } from '../scripts/write-api-comments.ts'
import { generatedDocs } from '../scripts/write-docs.ts'
import { authErrorCodes } from '../src/platform/errors/auth-error.ts'
import type { ErrorMeaning } from '../src/platform/errors/error-meaning.ts'
import { errorMeanings } from '../src/platform/errors/error-meanings.ts'

const root = join(import.meta.dirname, '..')

describe('the output of `npm run docs`', () => {
  it.each(Object.entries(generatedDocs))('docs/%s is current', (file, render) => {
    expect(readFileSync(join(root, 'docs', file), 'utf8')).toBe(render())
  })

  it.each(Object.entries(generatedSources))('src/%s is current', (file, render) => {
    expect(readFileSync(join(root, 'src', file), 'utf8')).toBe(render())
  })
})

describe('the meanings of errors', () => {
  const meanings: [string, ErrorMeaning][] = Object.entries(errorMeanings)

  it('are in docs/errors.md, one for each code', () => {
    const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
    const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code)

    expect(headings.toSorted()).toEqual([...authErrorCodes].sort())
  })

  it.each(meanings)(
    'state the actor of each action in %s',
    (_, { client, developer, operator }) => {
      expect(client ?? developer ?? operator).toBeDefined()
    },
  )

  it('contain every status that the sources give a code', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test\./.test(file))
    const given = sources.flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/new AuthError\(\s*'(\w+)',\s*(\d{3}),/g),
    ])
    const unnamed = given
      .map(([, code = '', status = '']) => ({ code, status: Number(status) }))
      .filter(({ code, status }) => {
        const [, meaning] = meanings.find(([name]) => name === code) ?? []
        return !meaning?.statuses.includes(status)
      })

    expect(given.length).toBeGreaterThan(60)
    expect(unnamed).toEqual([])
  })
})
