import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { settings } from '../src/platform/config/settings.ts'
import { checkEnvironment } from '../src/standalone/settings/environment.ts'
import { spawnCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, freePort } from './support/server-process.ts'
import { waitFor } from './support/wait-for.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const dockerfile = read('Dockerfile')
const root = new URL('../', import.meta.url).pathname

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

describe('the Dockerfile', () => {
  it('starts the command of the package, as a user without privileges, with a health check', () => {
    const { bin } = JSON.parse(read('package.json'))
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

    expect(last).toContain(
      `ENTRYPOINT ["node", "node_modules/latchkey/${bin.latchkey.replace('./', '')}"]`,
    )
    expect(last).toMatch(/\nUSER node\n/)
    expect(last).toMatch(/\nHEALTHCHECK .*\n {2}CMD \["node", "-e", ".*\/health/)
    expect(last).not.toMatch(/COPY (?!--from)/)
  })

  it('sets options of V8 that Node accepts', () => {
    const [, NODE_OPTIONS] = /NODE_OPTIONS="(.*)"/.exec(dockerfile) ?? []
    const { status, stderr } = spawnSync(process.execPath, ['--eval', '0'], {
      env: { NODE_OPTIONS },
      encoding: 'utf8',
    })

    expect(NODE_OPTIONS).toContain('--v8-pool-size=2')
    expect([status, stderr]).toEqual([0, ''])
  })

  it('N04: omits the embedded database, and installs the native packages that hash', () => {
    const { dependencies } = JSON.parse(read('package.json'))
    const [, program = ''] = /\$\(node -p "(.*)"\)/.exec(dockerfile) ?? []
    const { stdout } = spawnSync(process.execPath, ['-p', program], { cwd: root, encoding: 'utf8' })
    const native = ['@node-rs/argon2', '@node-rs/bcrypt']

    expect(dockerfile.match(/npm install .*/g)).toEqual([
      expect.stringContaining('--omit=optional'),
      expect.stringContaining('--omit=optional'),
    ])
    expect(stdout.trim().split(' ')).toEqual(
      native.map((name) => `${name}-linux-${process.arch}-musl@${dependencies[name]}`),
    )
  })
})

describe('the examples of docs/scale.md', () => {
  it('contain settings that exist', () => {
    const known = new Set(settings.flatMap(({ env }) => (env === null ? [] : [`AUTH_${env}`])))
    const blocks = read('docs/scale.md').match(/```yaml\n[\s\S]*?```/g) ?? []
    const names = blocks.flatMap((block) => block.match(/AUTH_[A-Z_]+/g) ?? [])

    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !known.has(name))).toEqual([])
  })

  it('Compose: the environment passes the check of the settings', () => {
    const [{ services }] = sampleOf('Compose').documents
    const filled = Object.entries<string>(services.auth.environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+\}/g, placeholder),
    ])

    expect(warningsFor(Object.fromEntries(filled))).toEqual([])
  })

  it('Compose: publishes the port on the loopback interface, since it trusts a header', () => {
    const [{ services }] = sampleOf('Compose').documents

    expect(services.auth.environment).toHaveProperty('AUTH_RATE_LIMIT_HEADER')
    expect(services.auth.ports).toEqual(['127.0.0.1:8081:8081'])
  })

  it('Kubernetes: the environment and the names of the Secret pass the check', () => {
    const { text, documents } = sampleOf('Kubernetes')
    const [container] = documents[0].spec.template.spec.containers
    const inSecret = (text.match(/`AUTH_[A-Z_]+`/g) ?? []).map((name) => name.slice(1, -1))
    const secret = Object.fromEntries(inSecret.map((name) => [name, placeholderFor(name)]))
    const env = container.env.map((one: { name: string; value: string }) => [one.name, one.value])

    expect(warningsFor({ ...secret, ...Object.fromEntries(env) })).toEqual([])
  })
})

const placeholder = 'f3a91c07d25e48b6a0c97e134d68b25f'

/** Returns a value of the kind that a setting of the Secret has. */
function placeholderFor(name: string): string {
  if (name.endsWith('_URL')) return 'postgres://latchkey:secret@db.internal:5432/app'
  if (name.endsWith('_PORT')) return '465'
  if (name.endsWith('_EMAIL')) return 'no-reply@example.com'
  return placeholder
}

/** Returns the text of a section of docs/scale.md before its block of YAML, and the block. */
function sampleOf(heading: string) {
  const sections = read('docs/scale.md').split(/^## /m)
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? ''
  const [text = '', block = ''] = section.split(/```(?:yaml)?\n/)
  return { text, documents: parseAllDocuments(block).map((one) => one.toJS()) }
}

/** Checks an environment as `latchkey serve` does in production. */
const warningsFor = (env: Record<string, string>) =>
  checkEnvironment({ ...env, NODE_ENV: 'production' }).warnings

/** An account without privileges often cannot read a checkout, such as one below `/root`. */
const unprivileged = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const bundle = `${root}dist/standalone/cli.js`
const canUnshare =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', ...unprivileged, process.execPath, '--check', bundle]).status ===
    0
if (!canUnshare) console.warn('NOT RUN: a read-only file system, which needs root and unshare')

describe.runIf(canUnshare)('latchkey serve as the user nobody, on a read-only file system', () => {
  it('serves requests, and its health check succeeds', async () => {
    const port = await freePort()
    const server = spawnCli(['serve'], {
      ...environmentFor(database.url, {
        AUTH_API_PORT: String(port),
        NODE_ENV: 'production',
        AUTH_PASSWORD_HASH_MEMORY_KIB: '19456',
        AUTH_PASSWORD_HASH_ITERATIONS: '2',
      }),
      wrap: (command) => [
        'unshare',
        '--mount',
        'sh',
        '-c',
        'mount -o remount,bind,ro / && exec "$@"',
        'sh',
        ...unprivileged,
        ...command,
      ],
    })
    await server.printed(/"msg":"listening"/)

    const [, check = ''] = /CMD \["node", "-e", "(.*)"\]/.exec(dockerfile) ?? []
    const healthy = (env: object) =>
      spawnSync(process.execPath, ['-e', check], { env: { ...process.env, ...env } }).status
    await waitFor(() => expect(healthy({ AUTH_API_PORT: String(port) })).toBe(0))
    expect(healthy({ AUTH_API_PORT: String(await freePort()) })).toBe(1)
    const ready = await fetch(`http://127.0.0.1:${port}/ready`)
    expect(ready.status).toBe(200)
    expect((await server.stop()).code).toBe(0)
  })
})

const canBuild = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}']).status === 0
if (!canBuild) console.warn('NOT RUN: the image, since no Docker daemon responds')

describe.runIf(canBuild)('the image', () => {
  it('is built, and prints its version on a read-only file system', { timeout: 900_000 }, () => {
    const run = (...args: string[]) => spawnSync('docker', args, { cwd: root, encoding: 'utf8' })
    const built = run('build', '--quiet', '-t', 'latchkey:test', '.')
    expect(built.stderr).toBe('')

    const { status, stdout } = run('run', '--rm', '--read-only', 'latchkey:test', 'version')
    expect([status, stdout.trim()]).toEqual([0, JSON.parse(read('package.json')).version])
  })
})
