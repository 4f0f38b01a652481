import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { builtIn } from '../scripts/built-in.mjs'
import { npm } from '../scripts/npm.mjs'
import { packageLimits } from '../scripts/package-limits.mjs'

const root = join(import.meta.dirname, '..')

interface LockedPackage {
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const locked: Record<string, LockedPackage> = readJson('package-lock.json').packages

/** Where Node would find a package that the one in `from` asks for. */
function locate(name: string, from: string): string | undefined {
  const path = join(from, 'node_modules', name)
  if (path in locked) return path
  if (from === '') return undefined
  return locate(name, dirname(from) === '.' ? '' : dirname(from))
}

/**
 * The folders of what an application installs with us, our own optional dependencies left out: what
 * we depend on, what that depends on, and the binaries for this one platform.
 *
 * @param more names of packages that it installs besides.
 */
function installedWithUs(more: readonly string[] = []): Set<string> {
  const found = new Set<string>()
  const visit = (names: string[], from: string) => {
    for (const name of names) {
      const path = locate(name, from)
      if (!path || found.has(path) || !existsSync(join(root, path))) continue
      found.add(path)
      visit(wants(locked[path]), path)
    }
  }
  visit([...Object.keys(locked['']?.dependencies ?? {}), ...more], '')
  return found
}

function wants({ dependencies, optionalDependencies, ...other }: LockedPackage = {}): string[] {
  const peers = Object.keys(other.peerDependencies ?? {})
  const required = peers.filter((name) => !other.peerDependenciesMeta?.[name]?.optional)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...required]
}

/** The bytes in a folder; packages nested in it are packages of their own. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => {
      const stats = statSync(path)
      return sum + (stats.isDirectory() ? sizeOf(path) : stats.size)
    }, 0)
}

describe.each(['package-lock.json', 'docs/.vitepress/package-lock.json'])('%s', (file) => {
  const packages: [string, LockedPackage & { resolved?: string }][] = Object.entries(
    readJson(file).packages,
  )

  it('names no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  it('holds the binaries of every platform', () => {
    const paths = new Set(packages.map(([path]) => path))
    const missing = packages.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !paths.has(`${path}/node_modules/${name}`) &&
          ![...paths].some((one) => one.endsWith(`node_modules/${name}`)),
      ),
    )

    expect(missing).toEqual([])
  })
})

it('H33: is built before it is packed, also in a fresh clone', () => {
  expect(manifest.scripts.prepack).toBe('npm run build')
})

it('says once where its repository is, and all pages mean that one', () => {
  const address = /^git\+(https:.*)\.git$/.exec(manifest.repository.url)?.[1] ?? ''
  const texts = ['package.json', 'README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/support.md']
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('')

  const named = texts.match(/https:\/\/github\.com\/[\w-]+\/latchkey\b/g) ?? []
  expect(named.length).toBeGreaterThan(3)
  expect(new Set(named)).toEqual(new Set([address]))
})

/** Each asks for its notice, and for nothing else of whoever uses it. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

it('brings nothing under a licence that reaches beyond itself', () => {
  const optional = Object.keys(manifest.optionalDependencies)
  const inside = builtIn.map((name) => `node_modules/${name}`)
  const brought = [...installedWithUs(optional), ...inside].map((path) => {
    const { license } = locked[path] ?? {}
    return { path, license }
  })

  expect(brought.length).toBeGreaterThan(60)
  expect(brought.map(({ path }) => path)).toContain('node_modules/@electric-sql/pglite')
  expect(brought.filter(({ license = '' }) => !permissive.includes(license))).toEqual([])
})

describe('the package', () => {
  let files: string[]

  beforeAll(() => {
    const { stdout } = npm(['pack', '--dry-run', '--json', '--ignore-scripts'], { stdio: 'pipe' })
    const [packed] = JSON.parse(String(stdout))
    files = packed.files.map((file: { path: string }) => file.path)
  })

  it('holds what is built and what is read, and nothing else', () => {
    const top = new Set(files.map((path) => path.replace(/\/.*/, '')))

    expect([...top].sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bench',
      'dist',
      'docs',
      'examples',
      'package.json',
      'security',
    ])
    expect(files.filter((path) => path.startsWith('bench/'))).toEqual(['bench/RESULTS.md'])
    expect(files.filter((path) => path.startsWith('docs/.'))).toEqual([])
  })

  it('holds whatever its own pages link to', () => {
    const pages = files.filter((path) => path.endsWith('.md'))
    const links = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .map((target) => ({ page, target: join(dirname(page), target) })),
    )

    expect(links.length).toBeGreaterThan(30)
    expect(links.filter(({ target }) => !files.includes(target))).toEqual([])
  })

  it('holds the program behind each export and its command', () => {
    const { exports, bin } = readJson('package.json')
    const targets = Object.values<string | { default: string }>(exports).map((target) =>
      typeof target === 'string' ? target : target.default,
    )

    for (const target of [...targets, bin.latchkey]) expect(files).toContain(target.slice(2))
    expect(files).toContain('dist/THIRD-PARTY-LICENSES.txt')
    expect(files.filter((path) => path.includes('.test.'))).toEqual([])
  })

  it('brings no h3: what it brought would stand where Nitro 2 looks for its own', () => {
    const built = files.filter((path) => path.endsWith('.js'))
    const imports = built.flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /^(?:im|ex)port [^;]*?from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
      ),
    ])
    const packages = new Set(
      imports
        .map(([, from, bare, lazy]) => from ?? bare ?? lazy ?? '')
        .map((name) => name.replace(/^(@[^/]+\/[^/]+|[^/]+).*/, '$1')),
    )
    const known = Object.keys({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
      [manifest.name]: 'what is bundled into applications of Nuxt',
    })

    expect(known.filter((name) => /^(h3|srvx|rou3)$/.test(name))).toEqual([])
    const others = [...packages].filter(
      (name) => !/^(node:|\.|#)/.test(name) && !known.includes(name),
    )
    expect(others.filter((name) => !isBuiltin(name))).toEqual([])
  })

  it('is, with what it brings, at most 105 packages and 40 MB, without the optional ones', () => {
    const folders = [...installedWithUs()]
    const brought = folders.reduce((sum, folder) => sum + sizeOf(join(root, folder)), 0)
    // The package itself is measured by `npm run package`, once it is built in full.
    const bytes = packageLimits.unpackedSize + brought

    expect(folders).toContain('node_modules/pg')
    expect(1 + folders.length).toBeLessThanOrEqual(105)
    expect(bytes).toBeLessThanOrEqual(40 * 1024 * 1024)
  })
})
