import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { templates } from '../src/standalone/write-template.ts'
import { describeInBrowser } from './support/browser.ts'
import { type CliProcess, runCli, spawnCli } from './support/cli-process.ts'
import { hasEmbeddedDatabase } from './support/embedded.ts'
import { readMailbox } from './support/read-mailbox.ts'
import { freePort } from './support/server-process.ts'

const root = join(import.meta.dirname, '..')

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey init '))
  return () => rm(folder, { recursive: true, force: true })
})

/** Does what `npm install latchkey` would, in a moment. */
async function installLatchkey(): Promise<void> {
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/latchkey'))
}

const init = (...args: string[]) => runCli(['init', ...args], { cwd: folder })

it('writes the application, and prints its start command', async () => {
  await installLatchkey()

  const { code, output } = await init('--no-start')

  expect([code, output]).toEqual([0, expect.stringContaining('`node server.mjs` starts')])
  expect((await readdir(folder)).toSorted()).toEqual(['node_modules', 'server.mjs'])
})

it('follows no link, and writes nothing beside a dangling one', async () => {
  await installLatchkey()
  await symlink(join(folder, 'elsewhere'), join(folder, 'server.mjs'))

  const { code, output } = await init()

  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^init: server.mjs would be overwritten: use another folder\n$/),
  ])
  expect((await readdir(folder)).toSorted()).toEqual(['node_modules', 'server.mjs'])
})

it('keeps an existing file, and writes nothing beside it', async () => {
  await installLatchkey()
  await writeFile(join(folder, 'server.mjs'), 'mine')

  const { code, output } = await init()

  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^init: server.mjs would be overwritten: use another folder\n$/),
  ])
  expect(await readFile(join(folder, 'server.mjs'), 'utf8')).toBe('mine')
  expect((await readdir(folder)).toSorted()).toEqual(['node_modules', 'server.mjs'])
})

it('prints the first step where Latchkey is not installed, and writes nothing', async () => {
  const { code, output } = await init()

  expect([code, output]).toEqual([1, expect.stringContaining('npm install latchkey')])
  expect(await readdir(folder)).toEqual([])
})

describe('N13: latchkey init --template', () => {
  const manifestOf = async () =>
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, object>
  const writeManifest = (manifest: object) =>
    writeFile(join(folder, 'package.json'), JSON.stringify(manifest))

  it.each(templates)(
    'writes the application into an empty folder, without an installation: %s',
    async (name) => {
      const { code, output } = await init('--template', name)
      const written = await readdir(folder, { recursive: true })

      expect([code, output]).toEqual([0, expect.stringContaining('npm install\n  npm run dev')])
      expect(written).toEqual(
        expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'test/app.test.ts']),
      )
      expect(await manifestOf()).toMatchObject({
        scripts: { dev: expect.any(String), test: 'node --test' },
        dependencies: { latchkey: `^${manifest.version}` },
      })
    },
  )

  it.each(templates)('describes the variables that its settings read: %s', async (name) => {
    const template = join(root, 'examples/templates', name)
    const entries = await readdir(template, { recursive: true, withFileTypes: true })
    const sources = entries.filter(
      (one) => one.isFile() && /^(?:auth|latchkey)\.ts$/.test(one.name),
    )
    const texts = sources.map((one) => readFile(join(one.parentPath, one.name), 'utf8'))
    const names = (await Promise.all(texts)).join().match(/(?<=process\.env\.)[A-Z_]+/g) ?? []
    const readme = await readFile(join(template, 'README.md'), 'utf8')

    expect(names).toContain('CLIENT_IP_HEADER')
    expect(names.filter((one) => one !== 'NODE_ENV' && !readme.includes(one))).toEqual([])
  })

  it('has the folders of the templates, and no other', async () => {
    const folders = await readdir(join(root, 'examples/templates'))

    expect(folders.toSorted()).toEqual(templates.toSorted())
  })

  it('completes the package.json of npm, whose packages keep their versions', async () => {
    await writeManifest({
      name: 'acme',
      type: 'commonjs',
      scripts: { test: 'echo "Error: no test specified" && exit 1' },
      dependencies: { latchkey: 'file:latchkey.tgz', express: '5.0.0' },
    })

    const { code, output } = await init('--template', 'express')

    expect([code, output]).toEqual([0, expect.stringContaining('"type" is "module" now')])
    expect(await manifestOf()).toMatchObject({
      name: 'acme',
      type: 'module',
      scripts: { test: 'node --test' },
      dependencies: { latchkey: 'file:latchkey.tgz', express: '5.0.0' },
      devDependencies: { typescript: expect.any(String) },
    })
  })

  it('warns of a package with another major version than that of the template', async () => {
    const dependencies = { express: '^4.22.3', latchkey: 'file:latchkey.tgz' }
    const devDependencies = { '@types/express': '^5.0.0', '@types/node': 'latest' }
    await writeManifest({ type: 'module', dependencies, devDependencies })

    const { code, output } = await init('--template', 'express')

    expect(code).toBe(0)
    expect(output.match(/^Warning: .*$/gm)).toEqual([
      expect.stringMatching(
        /^Warning: package\.json has express \^4\.22\.3\. The template is tested with 5\./,
      ),
    ])
  })

  it.skipIf(!isInstalled)(
    'writes an application whose tests pass with Express 4, too',
    async () => {
      await installLatchkey()
      await init('--template', 'express')
      await symlink(join(root, 'node_modules/express4'), join(folder, 'node_modules/express'))
      const run = promisify(execFile)

      const { stdout } = await run(process.execPath, ['--test'], { cwd: folder })

      expect(stdout).toMatch(/^# fail 0$|ℹ fail 0$/m)
    },
  )

  it('adds no package that either list contains', async () => {
    const own = {
      dependencies: { typescript: '^7.0.0', '@types/express': '5.0.0' },
      devDependencies: { express: '5.0.0', latchkey: 'file:latchkey.tgz' },
    }
    await writeManifest({ ...own, type: 'module' })

    const { code } = await init('--template', 'express')

    expect(code).toBe(0)
    expect(await manifestOf()).toMatchObject({
      dependencies: own.dependencies,
      devDependencies: { ...own.devDependencies, '@types/node': expect.any(String) },
    })
    expect(Object.keys((await manifestOf())['dependencies'] ?? {}).toSorted()).toEqual(
      Object.keys(own.dependencies).toSorted(),
    )
    expect(Object.keys((await manifestOf())['devDependencies'] ?? {}).toSorted()).toEqual(
      [...Object.keys(own.devDependencies), '@types/node'].toSorted(),
    )
  })

  it.each([
    ['commonjs', 'index.ts', 'export const port = 3000'],
    [undefined, 'index.js', "const http = require('node:http')"],
    [undefined, 'jest.config.js', 'module.exports = {}'],
  ])('rejects a package of the type %s with CommonJS modules: %s', async (type, file, text) => {
    await writeManifest({ name: 'acme', type })
    await mkdir(join(folder, 'lib'))
    await writeFile(join(folder, 'lib', file), text)

    const { code, output } = await init('--template', 'hono')

    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^init: lib.\S+ is a CommonJS module .+docs\/hosts\.md\n$/),
    ])
    expect((await readdir(folder)).toSorted()).toEqual(['lib', 'package.json'])
    expect(await manifestOf()).toEqual({ name: 'acme', type })
  })

  it('completes a package without a type, whose modules are ES modules', async () => {
    await writeManifest({ name: 'acme' })
    const text = "import { createRequire } from 'node:module'\ncreateRequire(import.meta.url)('x')"
    await writeFile(
      join(folder, 'index.js'),
      `${text}\nconst require = createRequire('/')\nrequire('y')`,
    )
    await mkdir(join(folder, 'node_modules/other'), { recursive: true })
    await writeFile(join(folder, 'node_modules/other/index.js'), 'module.exports = {}')

    const { code } = await init('--template', 'hono')

    expect([code, await manifestOf()]).toEqual([0, expect.objectContaining({ type: 'module' })])
  })

  it('keeps a script of another program, and writes nothing beside it', async () => {
    await writeManifest({ scripts: { test: 'vitest' } })

    const { code, output } = await init('--template', 'hono')

    expect([code, output]).toEqual([1, expect.stringContaining('has the script "test" already')])
    expect(await readdir(folder)).toEqual(['package.json'])
  })

  it('keeps an existing file, and writes nothing beside it', async () => {
    await writeFile(join(folder, 'README.md'), 'mine')
    await writeFile(join(folder, '.gitignore'), 'mine')

    const { code, output } = await init('--template', 'express')

    expect(code).toBe(1)
    expect(output).toMatch(
      /init: (README\.md, \.gitignore|\.gitignore, README\.md) would be overwr/,
    )
    expect(await readdir(folder)).toEqual(['.gitignore', 'README.md'])
  })

  it('follows no link', async () => {
    await symlink(join(folder, 'elsewhere'), join(folder, 'package.json'))

    const { code, output } = await init('--template', 'express')

    expect([code, output]).toEqual([
      1,
      expect.stringContaining('package.json would be overwritten'),
    ])
    expect(await readdir(folder)).toEqual(['package.json'])
  })

  it.each(['[]', '{'])('rejects a package.json that contains %j', async (text) => {
    await writeFile(join(folder, 'package.json'), text)

    const { code, output } = await init('--template', 'express')

    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^init: package.json contains no JSON object\n$/),
    ])
  })

  it('names the templates if there is no such one', async () => {
    const { code, output } = await init('--template', '../starter')

    expect([code, output]).toEqual([
      2,
      expect.stringMatching(`^init: --template is one of ${templates.join(', ')}\n`),
    ])
    expect(await readdir(folder)).toEqual([])
  })
})

const isInstalled = await hasEmbeddedDatabase('test/init-command.test.ts')

describeInBrowser('the application of latchkey init', ({ open }) => {
  let application: CliProcess
  let home: string
  let url: string

  beforeAll(async () => {
    if (!isInstalled) return
    home = await mkdtemp(join(tmpdir(), 'latchkey init '))
    folder = home
    await installLatchkey()
    application = spawnCli(['init'], { cwd: home, env: { PORT: String(await freePort()) } })
    url = (await application.printed(/Sign up at (http:\S+)/))[1] ?? ''
  }, 120_000)
  afterAll(async () => {
    await application?.stop()
    if (home) await rm(home, { recursive: true, force: true })
  })

  it.skipIf(!isInstalled)(
    'signs a user up with the code of the mailbox, recognizes and signs the user out and in',
    { timeout: 180_000 },
    async () => {
      const person = { email: 'ada@example.test', password: 'correct horse' }
      const [entry = ''] = /http:\S+\/_latchkey\/mail\?token=\w+/.exec(application.output()) ?? []
      expect(application.output()).toContain('creates an embedded database')
      const mailbox = await readMailbox(entry)
      const page = await open()
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const link = (name: string) => page.getByRole('link', { name }).click()
      const isWelcome = () => page.getByText(`You are signed in as ${person.email}`).waitFor()
      await page.goto(url)

      await link('Sign up')
      await page.getByLabel('Email').fill(person.email)
      await page.getByLabel('Password', { exact: true }).fill(person.password)
      await press('Create account')
      await page.getByLabel('Code').fill('000000')
      await press('Continue')
      await page.getByText('This code or link is wrong').waitFor()
      await page.getByLabel('Code').fill((await mailbox.newest(person.email)).code)
      await press('Continue')
      await isWelcome()
      await page.reload()
      await isWelcome()
      const cookies = await page.context().cookies()
      await link('Your account')
      await press('Sign out')
      await page.goto(url)
      await link('sign in')
      await page.locator('[name=identifier]').fill(person.email)
      await page.getByLabel('Password', { exact: true }).fill('a wrong password')
      await press('Sign in')
      await page.getByText('These details are wrong').waitFor()
      await page.getByLabel('Password', { exact: true }).fill(person.password)
      await press('Sign in')
      await isWelcome()

      const session = cookies.filter(({ name }) => name.includes('session'))
      expect(session.length).toBeGreaterThan(0)
      expect(session.every(({ httpOnly }) => httpOnly)).toBe(true)
    },
  )

  it.skipIf(!isInstalled)('responds to any request, and continues', async () => {
    const ask = async (path: string) => (await fetch(url + path)).status

    expect(await Promise.all(['/profile', '//', '/nowhere', '/auth/user'].map(ask))).toEqual([
      401, 404, 404, 401,
    ])
    expect(await ask('/')).toBe(200)
    expect((await fetch(url)).headers.get('cache-control')).toBe('private, no-store')
  })
})
