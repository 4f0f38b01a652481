import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { builtIn } from '../scripts/built-in.mjs'

const root = join(import.meta.dirname, '..')
const readText = (file: string) => readFileSync(join(root, file), 'utf8')

/** The libraries that the owner of the project named, and the function or class that each is used for. */
const named = {
  h3: ['H3'],
  '@mikro-orm/core': ['defineEntity'],
  '@mikro-orm/migrations': ['Migrator'],
  '@mikro-orm/postgresql': ['MikroORM'],
  superstruct: ['define', 'Struct'],
  arctic: ['OAuth2Client', 'OAuth2Tokens', 'Google', 'KeyCloak', 'generateCodeVerifier'],
  oslo: ['generateHOTP', 'base32', 'generateRandomString'],
  '@node-rs/argon2': ['hash', 'hashSync'],
  nodemailer: ['createTransport'],
  unstorage: ['createStorage'],
}

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

/** The names that `src/` imports of each package as values, by `import` and `import()`. */
const imported = Map.groupBy(
  sources
    .map(readText)
    .flatMap((text) => [
      ...text.matchAll(/^import (?!type)(?:\w+, )?\{([^}]*)\} from '([^.'][^']*)'/gm),
      ...text.matchAll(/const \{([^}]*)\} = await import\('([^.'][^']*)'\)/g),
    ]),
  ([, , specifier = '']) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? '',
)

const valuesOf = (name: string): string[] =>
  (imported.get(name) ?? []).flatMap(([, list = '']) =>
    list
      .split(',')
      .map((one) => one.trim())
      .filter((one) => !one.startsWith('type ')),
  )

describe.each(Object.entries(named))('%s', (name, used) => {
  it('is installed with us or bundled, in one exact version', () => {
    const dependencies: Record<string, string> = builtIn.includes(name)
      ? manifest.devDependencies
      : manifest.dependencies

    expect(dependencies[name]).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('is used for its purpose', () => {
    expect(valuesOf(name)).toEqual(expect.arrayContaining(used))
  })
})

it('tsup builds the package', () => {
  expect(manifest.devDependencies.tsup).toMatch(/^\d/)
  expect(manifest.scripts.build).toMatch(/^tsup /)
})

it('the README names each library, and which of them are bundled', () => {
  const [, section = ''] = readText('README.md').split('## Built on\n')
  const rows = section
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| ['))
  const listed = rows?.map((row) => /^\| \[([^\]]+)\]\(\S+\)( ¹)? \|/.exec(row)?.slice(1)) ?? []

  const libraries = Object.keys(named).map((name) => name.replace(/^@mikro-orm\/.*/, 'MikroORM'))
  expect(listed.map((row) => row?.[0]).toSorted()).toEqual([...new Set(libraries)].toSorted())
  const marked = listed.flatMap((row) => (row?.[1] ? [row[0]] : []))
  expect(marked.toSorted()).toEqual(libraries.filter((one) => builtIn.includes(one)).toSorted())
})
