import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { githubSlug } from '../docs/.vitepress/github-slug.ts'
import { sections } from '../docs/.vitepress/sections.ts'
import { markdownPages, tokensOf } from './support/markdown.ts'

const root = join(import.meta.dirname, '..')

const anchors = new Map(markdownPages.map((page) => [page, new Set(anchorsOf(page))]))

/**
 * Returns the anchors of the headings in the form of GitHub and the site: the second of one name
 * ends with `-1`.
 */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>()
  return tokensOf(page).flatMap((token) => {
    if (token.type !== 'heading') return []
    const slug = githubSlug(token['text'])
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return [count === 0 ? slug : `${slug}-${count}`]
  })
}

const linksOf = (page: string): string[] =>
  tokensOf(page).flatMap((token) =>
    token.type === 'link' || token.type === 'image' ? [token['href'] as string] : [],
  )

const isExternal = (href: string) => /^[a-z][a-z+.-]*:/i.test(href)

function problemWith(page: string, href: string): string | null {
  if (isExternal(href)) return problemWithUrl(href)
  const [path = '', anchor] = href.split('#')
  const file = path === '' ? page : relative(root, join(root, dirname(page), decodeURI(path)))
  if (!existsSync(join(root, file))) return 'there is no such file'
  if (anchor === undefined) return null
  if (!file.endsWith('.md')) return 'an anchor of what is no page'
  return anchors.get(file)?.has(anchor) ? null : 'there is no such heading'
}

/** Returns the defect of a URL. URLs are not requested: a test does not depend on other servers. */
function problemWithUrl(href: string): string | null {
  if (!URL.canParse(href)) return 'it is no URL'
  const { protocol, hostname } = new URL(href)
  const isHere = hostname === 'localhost' || hostname.startsWith('127.')
  return protocol === 'https:' || (protocol === 'http:' && isHere) ? null : 'it is not https'
}

describe('the links of', () => {
  it.each(markdownPages)('%s have existing targets', (page) => {
    const problems = linksOf(page).map((href) => ({ href, problem: problemWith(page, href) }))

    expect(problems.filter(({ problem }) => problem !== null)).toEqual([])
  })

  it('the documentation are many', () => {
    expect(markdownPages.flatMap(linksOf).length).toBeGreaterThan(300)
  })
})

describe('the pages of docs/', () => {
  const pages = markdownPages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')

  it('are in a section of the site, each once', () => {
    const listed = sections.flatMap((section) => Object.keys(section.pages))

    expect(new Set(listed).size).toBe(listed.length)
    expect(pages.filter((page) => !listed.includes(page.replace(/^docs\/|\.md$/g, '')))).toEqual([])
  })

  it.each(pages)('%s begins with its title, and a paragraph about its content', (page) => {
    const [title, first] = tokensOf(page).filter(({ type }) =>
      ['heading', 'paragraph', 'table', 'code', 'list'].includes(type),
    )

    expect(title).toMatchObject({ type: 'heading', depth: 1 })
    expect(first?.type).toBe('paragraph')
  })
})
