import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renderConfigurationDocs } from '../scripts/write-configuration-docs.ts'
import { knownNames } from '../src/platform/config/environment-names.ts'
import { settings } from '../src/platform/config/settings.ts'

it('docs/configuration.md has a row for every setting, or for its family', () => {
  const rows = renderConfigurationDocs().split('\n')
  const isListed = ({ env, path }: { env: string | null; path: string }) =>
    rows.some(
      (row) => row.includes(`| \`${path}\` |`) && row.includes(env ? `\`AUTH_${env}\`` : '| – |'),
    )
  const missing = settings
    .map((setting) => setting.family ?? setting)
    .filter((one) => !isListed(one))
  expect(missing).toEqual([])
})

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesIn('docs')]

it.each(pages)('%s writes the settings of the environment with their prefix', (page) => {
  // In code, an application reads its own variables: `process.env.DATABASE_URL`. So do whole
  // examples.
  const own = /^<!-- from: \S+ -->\n(?:File: .*\n\n)?```[\s\S]*?^```$/gm
  const words = readPage(page)
    .replaceAll(own, '')
    .matchAll(/(?<![\w.$])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/g)
  const read = new Set(settings.flatMap(({ bare }) => bare))
  const names = [...words]
    .map(([name]) => name)
    .filter((name) => knownNames.has(`AUTH_${name}`))
    // Names of OpenTelemetry, which are known without a prefix.
    .filter((name) => !name.startsWith('OTEL_'))
  // The table of settings lists the few names that are read without a prefix.
  expect(names.filter((name) => page !== 'docs/configuration.md' || !read.has(name))).toEqual([])
})

// This page contains the names of settings of Auth.js.
it.each(pages.filter((page) => page !== 'docs/moving-from-auth-js.md'))(
  '%s contains existing settings only',
  (page) => {
    const names = [...readPage(page).matchAll(/(?<![A-Z_])AUTH_[A-Z0-9_]+/g)].map(([name]) => name)
    // Families are written `AUTH_SMTP_…`, and one hook or provider represents the others.
    const isKnown = (name: string) =>
      knownNames.has(name) ||
      (name.endsWith('_') && [...knownNames].some((known) => known.startsWith(name)))

    expect(names.filter((name) => !isKnown(name))).toEqual([])
  },
)

function pagesIn(folder: string): string[] {
  const files = readdirSync(join(import.meta.dirname, '..', folder))
  return files.filter((file) => file.endsWith('.md')).map((file) => `${folder}/${file}`)
}

const readPage = (page: string) => readFileSync(join(import.meta.dirname, '..', page), 'utf8')
