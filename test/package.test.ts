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

/** Returns where Node would find a package that the one in `from` imports. */
function locate(name: string, from: string): string | undefined {
  const path = join(from, 'node_modules', name)
  if (path in locked) return path
  if (from === '') return undefined
  return locate(name, dirname(from) === '.' ? '' : dirname(from))
}

/**
 * Returns the folders of the packages that an application installs with ours, without our optional
 * dependencies: direct and indirect dependencies, and the binaries for this platform only.
 *
 * @param more names of further packages that it installs.
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

/** Returns the bytes in a folder, without packages nested in it. */
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

  it('contains no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  it('contains the binaries of every platform', () => {
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

it('contains the URL of its repository once, and all pages use it', () => {
  const address = /^git\+(https:.*)\.git$/.exec(manifest.repository.url)?.[1] ?? ''
  const texts = ['package.json', 'README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/support.md']
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('')

  const named = texts.match(/https:\/\/github\.com\/[\w-]+\/latchkey\b/g) ?? []
  expect(named.length).toBeGreaterThan(3)
  expect(new Set(named)).toEqual(new Set([address]))
})

/** Licences that require their notice only. */
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

it('includes no package whose licence extends to other code', () => {
  const optional = Object.keys(manifest.optionalDependencies)
  const inside = builtIn.map((name) => `node_modules/${name}`)
  const included = [...installedWithUs(optional), ...inside].map((path) => {
    const { license } = locked[path] ?? {}
    return { path, license }
  })

  expect(included.length).toBeGreaterThan(60)
  expect(included.map(({ path }) => path)).toContain('node_modules/@electric-sql/pglite')
  expect(included.filter(({ license = '' }) => !permissive.includes(license))).toEqual([])
})

describe('the package', () => {
  let files: string[]

  beforeAll(() => {
    const { stdout } = npm(['pack', '--dry-run', '--json', '--ignore-scripts'], { stdio: 'pipe' })
    const [packed] = JSON.parse(String(stdout))
    files = packed.files.map((file: { path: string }) => file.path)
  })

  it('contains built code and documentation only', () => {
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

  it('contains all targets of links in its own pages', () => {
    const pages = files.filter((path) => path.endsWith('.md'))
    const links = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .map((target) => ({ page, target: join(dirname(page), target) })),
    )
    // Screenshots are in the repository only.
    const packed = links.filter(({ target }) => !target.startsWith('docs/images/'))

    expect(links.length).toBeGreaterThan(30)
    expect(packed.filter(({ target }) => !files.includes(target))).toEqual([])
  })

  it('contains the program of each export and its command', () => {
    const { exports, bin } = readJson('package.json')
    const targets = Object.values<string | { default: string }>(exports).map((target) =>
      typeof target === 'string' ? target : target.default,
    )

    for (const target of [...targets, bin.latchkey]) expect(files).toContain(target.slice(2))
    expect(files).toContain('dist/THIRD-PARTY-LICENSES.txt')
    // Applications of `latchkey init` contain tests of their own.
    const own = files.filter((path) => !path.startsWith('examples/templates/'))
    expect(own.filter((path) => path.includes('.test.'))).toEqual([])
  })

  it('contains the code of the bundled packages, and of no other', () => {
    const built = files.filter((path) => path.endsWith('.js'))
    const parts = built.flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /^\s*\/\/ node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/gm,
      ),
    ])

    expect([...new Set(parts.map(([, name]) => name))].toSorted()).toEqual(builtIn.toSorted())
  })

  it("does not include h3, which would replace Nitro 2's own version", () => {
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
      // Its build for the server would bundle the service if it were a peer: docs/components.md.
      svelte: '',
      [manifest.name]: 'what is bundled into applications of Nuxt',
    })

    expect(known.filter((name) => /^(h3|srvx|rou3)$/.test(name))).toEqual([])
    const others = [...packages].filter(
      (name) => !/^(node:|\.|#)/.test(name) && !known.includes(name),
    )
    expect(others.filter((name) => !isBuiltin(name))).toEqual([])
  })

  it('is, with everything that npm installs beside it, at most 80 packages', () => {
    const folders = [...installedWithUs(Object.keys(manifest.optionalDependencies))]

    expect(folders).toContain('node_modules/@electric-sql/pglite')
    expect(1 + folders.length).toBeLessThanOrEqual(80)
  })

  it('is, with its dependencies, at most 40 MB, without the optional ones', () => {
    const folders = [...installedWithUs()]
    const included = folders.reduce((sum, folder) => sum + sizeOf(join(root, folder)), 0)
    // `npm run package` measures the package itself, after a full build.
    const bytes = packageLimits.unpackedSize + included

    expect(folders).toContain('node_modules/pg')
    expect(bytes).toBeLessThanOrEqual(40 * 1024 * 1024)
  })
})
