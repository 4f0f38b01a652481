import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuthClient } from '@supabase/auth-js'
import { describe, expect, it } from 'vitest'
import { sections } from '../docs/.vitepress/sections.ts'
import { apiTopics, memberNames } from '../scripts/api-members.ts'
import { generatedSources } from '../scripts/write-api-comments.ts'
import { capabilityLists } from '../scripts/write-capability-terms.mjs'
import { generatedDocs } from '../scripts/write-docs.ts'
import { createAuth } from '../src/index.ts'
import { authErrorCodes } from '../src/platform/errors/auth-error.ts'
import type { ErrorMeaning } from '../src/platform/errors/error-meaning.ts'
import { errorMeanings } from '../src/platform/errors/error-meanings.ts'
import { silentLogger } from '../src/platform/observability/logger.ts'

const root = join(import.meta.dirname, '..')

describe('the output of `npm run docs`', () => {
  it.each(Object.entries(generatedDocs))('docs/%s is current', (file, render) => {
    expect(readFileSync(join(root, 'docs', file), 'utf8')).toBe(render())
  })

  it.each(Object.entries({ ...generatedSources, ...capabilityLists }))(
    'src/%s is current',
    (file, render) => {
      expect(readFileSync(join(root, 'src', file), 'utf8')).toBe(render())
    },
  )
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

describe('N05: docs/api.md', () => {
  it('describes every member of the service once', () => {
    const service = createAuth({
      siteUrl: 'https://app.example.test',
      database: 'postgres://database.example.test/app',
      jwt: { secret: 'a secret for tests of more than 32 bytes' },
      hooks: { sendEmail: async () => {} },
      rateLimits: { header: 'off' },
      logger: silentLogger,
    })
    const objects = {
      'auth.api': service.api,
      'auth.admin': service.admin,
      'auth.outbox': service.outbox,
    }
    const own = Object.keys(service)
      .map((name) => `auth.${name}`)
      .filter((name) => !(name in objects))
    const namesIn = (prefix: string, object: object): string[] =>
      Object.entries(object).flatMap(([name, one]) =>
        typeof one === 'function' ? [`${prefix}.${name}`] : namesIn(`${prefix}.${name}`, one),
      )
    const methods = Object.entries(objects).flatMap(([prefix, object]) => namesIn(prefix, object))

    expect(memberNames().toSorted()).toEqual([...own, ...methods].toSorted())
  })

  it('names methods of the client that exist', () => {
    const client = new AuthClient({ url: 'https://auth.example.test', persistSession: false })
    const named = apiTopics
      .flatMap(({ members }) => Object.values(members))
      .filter((path) => path !== null)
    const methodAt = (path: string): unknown =>
      path
        .split('.')
        .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], client)

    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((path) => typeof methodAt(path) !== 'function')).toEqual([])
  })

  const guides = sections
    .filter(({ title }) => ['Start', 'Flows', 'Hosts', 'Moving'].includes(title))
    .flatMap(({ pages }) => Object.keys(pages))

  it.each([...new Set([...guides, ...apiTopics.flatMap((topic) => topic.guides)])])(
    'is linked from docs/%s.md',
    (page) => {
      expect(readFileSync(join(root, `docs/${page}.md`), 'utf8')).toMatch(/\(api\.md(?:#[\w-]+)?\)/)
    },
  )
})
