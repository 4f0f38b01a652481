import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import mermaid from 'mermaid'
import { defineConfig, type HeadConfig } from 'vitepress'
import { githubSlug } from './github-slug.ts'
import { renderLlmsFull } from './render-llms-full.ts'
import { sections } from './sections.ts'

const root = join(import.meta.dirname, '../..')
const docs = join(root, 'docs')

/** Pages that stand beside docs/, by where the site shows them. */
const besideDocs: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changes.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'bench/RESULTS.md': 'measurements.md',
}

const isThere = ([page]: [string, string]) => existsSync(join(docs, `${page}.md`))
const project = Object.entries({
  changes: 'Changes',
  contributing: 'Contributing',
  reporting: 'Report a problem',
  measurements: 'Measurements',
})
const linkTo = ([page, text]: [string, string]) => ({ text, link: `/${page}` })
const pagesOf = (title: string) =>
  Object.entries(sections.find((section) => section.title === title)?.pages ?? {}).filter(isThere)

/** Files that pages link to and that are no pages, from the root of the repository. */
const linkedFiles = new Set<string>()

/** The pictures of all pages, in the language of Mermaid. */
const pictures = new Set<string>()

/** Where the site has a file of the repository. All pages are at its root. */
function sitePath(file: string): string {
  if (file === 'README.md') return 'index.md'
  return besideDocs[file] ?? file.replace(/^docs\//, '')
}

/** A link as the site has it, which pages write for the repository. */
function siteLink(page: string, href: string): string {
  const [path = '', anchor] = href.split('#')
  if (path === '' || /^\w+:/.test(path)) return href
  const file = relative(root, join(dirname(page), decodeURI(path)))
  if (!file.endsWith('.md')) linkedFiles.add(file)
  return `./${sitePath(file)}${anchor ? `#${anchor}` : ''}`
}

/** Nothing is loaded from elsewhere. */
const noStrangers: HeadConfig = [
  'meta',
  {
    'http-equiv': 'Content-Security-Policy',
    content: "default-src 'self' 'unsafe-inline'; img-src 'self' data:",
  },
]

export default defineConfig({
  title: 'Latchkey',
  description: 'Authentication inside a Node application.',
  lang: 'en',
  base: process.env['SITE_BASE'] ?? '/',
  cleanUrls: false,
  // The pages beside docs/ are part of it.
  srcDir: '..',
  srcExclude: ['README.md', '{examples,test,scripts,src,dist}/**'],
  outDir: './.vitepress/dist',
  cacheDir: './.vitepress/node_modules/.cache',
  rewrites: sitePath,
  ignoreDeadLinks: 'localhostLinks',
  head: [noStrangers],
  markdown: {
    anchor: { slugify: githubSlug },
    attrs: { disable: true },
    config(md) {
      md.core.ruler.push('links-to-files', ({ tokens, env }) => {
        for (const { type, attrs } of tokens.flatMap(({ children }) => children ?? [])) {
          const href = attrs?.find(([name]) => name === 'href')
          if (type === 'link_open' && href) href[1] = siteLink(env.realPath ?? env.path, href[1])
        }
      })

      // Pages are Markdown and nothing else: braces are text.
      const { code_inline, fence, text } = md.renderer.rules
      md.renderer.rules.text = (...args) => escapeBraces(text?.(...args))
      md.renderer.rules.code_inline = (...args) => escapeBraces(code_inline?.(...args))
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index]
        if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? ''
        pictures.add(token.content)
        return `<MermaidDiagram source="${encodeURIComponent(token.content)}" />`
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Flows', link: '/flows' },
      { text: 'Hosts', link: '/hosts' },
      { text: 'Reference', items: pagesOf('Reference').map(linkTo) },
      { text: 'Operating', items: pagesOf('Operating').map(linkTo) },
      { text: 'Moving', items: pagesOf('Moving').map(linkTo) },
    ],
    sidebar: [
      ...sections.map(({ title, pages }) => ({
        text: title,
        items: Object.entries(pages).filter(isThere).map(linkTo),
      })),
      { text: 'Project', collapsed: true, items: project.map(linkTo) },
    ],
  },
  vite: {
    publicDir: join(import.meta.dirname, 'public'),
    resolve: {
      // The pages stand above the folder where these are installed.
      alias: {
        mermaid: join(import.meta.dirname, 'node_modules/mermaid/dist/mermaid.esm.min.mjs'),
      },
    },
    build: { chunkSizeWarningLimit: 4_000 },
  },
  /** What pages link to that is no page, and what language models read. */
  async buildEnd({ outDir, pages }) {
    // They are drawn by the reader's browser, which is late to find out that one cannot be.
    for (const picture of pictures) await mermaid.parse(picture)
    for (const file of [...pages, ...linkedFiles, 'docs/llms.txt', 'docs/openapi.json']) {
      cpSync(join(root, file), join(outDir, sitePath(file)))
    }
    writeFileSync(join(outDir, 'llms-full.txt'), renderLlmsFull())
  },
})

const escapeBraces = (html = '') => html.replaceAll('{{', '&#123;&#123;')
