import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configurationDocs, renderConfigurationDocs } from '../scripts/write-configuration-docs.ts'
import { settings } from '../src/config/settings.ts'

it('docs/configuration.md is what `npm run docs` writes', () => {
  expect(readFileSync(configurationDocs, 'utf8')).toBe(renderConfigurationDocs())
})

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
