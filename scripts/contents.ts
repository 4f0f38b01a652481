import { githubSlug } from '../docs/.vitepress/github-slug.ts'

/**
 * Returns a page with links to its sections, before the first one, and to the next page.
 *
 * @param next the link at its end, such as `[Errors](errors.md)`.
 */
export function withContents(page: string, next: string): string {
  const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  const links = titles.map((title) => `[${title}](#${githubSlug(title)})`)
  const first = page.indexOf('\n## ') + 1
  return `${page.slice(0, first)}On this page: ${links.join(' · ')}\n\n${page.slice(first).trimEnd()}\n\nNext: ${next}.\n`
}
