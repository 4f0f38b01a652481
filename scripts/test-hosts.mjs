// `npm run test:hosts [-- next nuxt …]`: packs what was built and puts it into applications as people make
// them: installs each framework from the registry of npm in a folder below the temporary one, builds it,
// moves what was built away from its project, runs it there, and signs up and in over HTTP. Without names it
// tries one host of each way of building; `all` tries the others too, for minutes more.
// LATCHKEY_HOSTS_FOLDER keeps the folder, so that the next run need not install again.
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { npm } from './npm.mjs'

const authFile = `
import { createAuth } from 'latchkey'
export const auth = createAuth({
  siteUrl: 'https://app.example.test',
  basePath: '/auth',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { autoconfirm: true },
})
`
// `next build` loads routes without the settings of production, so it is made when it is first asked for.
const lazyAuthFile = `${authFile.replace('export const auth = createAuth(', 'const make = () => createAuth(')}
let made
export const auth = () => (made ??= make())
`
const nodeServer = `
import { createServer } from 'node:http'
import { toNode } from 'latchkey/node'
import { auth } from './auth.js'
createServer(toNode(auth)).listen(Number(process.env.PORT), '127.0.0.1')
`
const nextFiles = {
  'auth.js': lazyAuthFile,
  'next.config.mjs': `export default { output: 'standalone' }`,
  'app/layout.js': `export default ({ children }) => <html><body>{children}</body></html>`,
  'app/page.js': `export default () => <p>hello</p>`,
  'app/auth/[...path]/route.js': `
import { auth } from '../../../auth.js'
const answer = (request) => auth().fetch(request)
export const GET = answer, POST = answer, PUT = answer, DELETE = answer, OPTIONS = answer
`,
}
const next = { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' }

/**
 * @typedef {object} Host
 * @property {Record<string, string>} packages what it is made with, beside Latchkey
 * @property {Record<string, string>} files
 * @property {string[]} build a command of the packages above, and its arguments
 * @property {string[]} moved what is moved away, and run there
 * @property {string} main
 * @property {true} [together] whether both are installed at once, so that npm may give our packages the first places
 */

/** @type {Record<string, Host>} */
const hosts = {
  esbuild: {
    packages: { esbuild: '0.28.2' },
    files: { 'auth.js': authFile, 'server.js': nodeServer },
    build: [
      'esbuild',
      'server.js',
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--packages=external',
      '--outfile=dist/server.mjs',
    ],
    moved: ['dist', 'node_modules'],
    main: 'dist/server.mjs',
  },
  vite: {
    packages: { vite: '8.3.8' },
    files: { 'auth.js': authFile, 'server.js': nodeServer },
    build: ['vite', 'build', '--ssr', 'server.js'],
    moved: ['dist', 'node_modules', 'package.json'],
    main: 'dist/server.js',
  },
  nitro: {
    packages: { nitro: '3.0.0' },
    files: {
      'server/auth.js': authFile,
      'nitro.config.ts': `export default { srcDir: 'server' }`,
      'server/routes/auth/[...].ts': `
import { defineHandler } from 'nitro/h3'
import { auth } from '../../auth.js'
export default defineHandler((event) => auth.fetch(event.req))
`,
    },
    build: ['nitro', 'build'],
    moved: ['.output'],
    main: '.output/server/index.mjs',
  },
  nitro2: {
    packages: { nitropack: '2.13.6' },
    together: true,
    files: {
      'auth.js': authFile,
      'nitro.config.ts': `export default { compatibilityDate: '2026-11-01' }`,
      'routes/auth/[...].ts': `
import { auth } from '../../auth.js'
export default defineEventHandler((event) => auth.fetch(toWebRequest(event)))
`,
    },
    build: ['nitropack', 'build'],
    moved: ['.output'],
    main: '.output/server/index.mjs',
  },
  nuxt: {
    packages: { nuxt: '4.5.2' },
    together: true,
    files: {
      'server/utils/auth.ts': authFile,
      'nuxt.config.ts': `export default defineNuxtConfig({ compatibilityDate: '2026-11-01', telemetry: false })`,
      'app/app.vue': `<template><p>hello</p></template>`,
      'server/routes/auth/[...].ts': `
export default defineEventHandler((event) => auth.fetch(toWebRequest(event)))
`,
    },
    build: ['nuxt', 'build'],
    moved: ['.output'],
    main: '.output/server/index.mjs',
  },
  next: {
    packages: next,
    files: nextFiles,
    build: ['next', 'build'],
    moved: ['.next/standalone'],
    main: '.next/standalone/server.js',
  },
  'next-webpack': {
    packages: next,
    files: nextFiles,
    build: ['next', 'build', '--webpack'],
    moved: ['.next/standalone'],
    main: '.next/standalone/server.js',
  },
}

/** One for each way of building. The others build as one of these does, or nearly. */
const usual = ['esbuild', 'vite', 'next', 'nuxt']

const given = process.argv.slice(2)
const chosen = given.length === 0 ? usual : given.includes('all') ? Object.keys(hosts) : given
const unknown = chosen.filter((name) => !hosts[name])
if (unknown.length > 0)
  throw new Error(`no such host: ${unknown}; there are all, ${Object.keys(hosts)}`)

const kept = process.env.LATCHKEY_HOSTS_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'latchkey-hosts-'))
mkdirSync(folder, { recursive: true })
const { startPostgres } = await import('../test/support/start-postgres.ts')
const { runSql, databaseUrl } = await import('../test/support/sql.ts')
const postgres = await startPostgres()
let failures = 0
try {
  const packed = pack()
  for (const name of chosen) {
    const startedAt = performance.now()
    const problem = await tryHost(name, packed).then(
      () => null,
      (error) => error,
    )
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    console.log(`${problem ? 'FAILED' : 'ok    '} ${name} (${seconds} s)`)
    if (problem) console.log(problem)
    if (problem) failures += 1
  }
} finally {
  await postgres.stop()
  if (!kept) rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures > 0 ? 1 : 0

function pack() {
  const { status } = npm(['pack', '--silent', '--pack-destination', folder], { stdio: 'ignore' })
  if (status !== 0) throw new Error('npm pack failed: has it been built?')
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.tgz'))
  return join(folder, name)
}

/**
 * @param {string} name
 * @param {string} packed
 */
async function tryHost(name, packed) {
  const host = hosts[name]
  if (!host) throw new Error(name)
  const { packages, files, build, moved, main, together } = host
  const project = join(folder, name)
  const away = join(folder, `${name}-elsewhere`)
  rmSync(away, { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: together ? { latchkey: `file:${packed}`, ...packages } : packages,
    }),
  )
  const database = `hosts_${name.replace(/\W/g, '_')}`
  await runSql(postgres.url, `create database ${database}`)
  const env = {
    // Nothing that says how npm or this run are set up is for what is built and run.
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
  }
  const settings = {
    DATABASE_URL: databaseUrl(postgres.url, database),
    JWT_SECRET: 'a secret for hosts of more than 32 bytes',
  }
  // Most applications are there before we are: what they bring keeps its place in node_modules.
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts']
  run(project, 'npm', ['install', ...quietly], process.env)
  if (!together) run(project, 'npm', ['install', ...quietly, packed], process.env)
  run(project, join(project, 'node_modules/.bin', build[0] ?? ''), build.slice(1), env)
  for (const part of moved) {
    mkdirSync(dirname(join(away, part)), { recursive: true })
    cpSync(join(project, part), join(away, part), { recursive: true, verbatimSymlinks: true })
  }
  const hidden = join(folder, `${name}-hidden`)
  renameSync(project, hidden)
  try {
    await signUpAndIn(join(away, main), { ...env, ...settings })
  } finally {
    renameSync(hidden, project)
  }
}

/**
 * @param {string} main
 * @param {NodeJS.ProcessEnv} env
 */
async function signUpAndIn(main, env) {
  const port = await freePort()
  const server = spawn(process.execPath, [main], {
    cwd: dirname(main),
    env: {
      ...env,
      PORT: String(port),
      HOSTNAME: '127.0.0.1',
      HOST: '127.0.0.1',
      NITRO_HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const body = { email: 'ada@example.test', password: 'correct horse' }
  /** @param {string} path @param {object} [sent] @param {string} [token] */
  const ask = async (path, sent, token) => {
    const answer = await fetch(`http://127.0.0.1:${port}/auth${path}`, {
      method: sent ? 'POST' : 'GET',
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
    })
    return {
      status: answer.status,
      body: /** @type {any} */ (await answer.json().catch(() => null)),
    }
  }
  /** @param {string} what @param {{ status: number, body: any }} answer @param {number} status */
  const expect = (what, answer, status) => {
    if (answer.status === status) return
    throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}\n${output}`)
  }
  try {
    for (let attempts = 0; ; attempts += 1) {
      const health = await ask('/health').catch(() => null)
      if (health?.body?.name === 'Latchkey') break
      if (attempts > 100 || server.exitCode !== null) {
        throw new Error(`it does not answer: ${JSON.stringify(health)}\n${output}`)
      }
      await sleep(200)
    }
    expect('a sign-up', await ask('/signup', body), 200)
    const signIn = await ask('/token?grant_type=password', body)
    expect('a sign-in', signIn, 200)
    expect('the user', await ask('/user', undefined, signIn.body.access_token), 200)
    expect('nobody', await ask('/user'), 401)
    const wrong = { ...body, password: 'a wrong password' }
    expect('a wrong password', await ask('/token?grant_type=password', wrong), 400)
    if (/hashed on the threads/.test(output)) throw new Error(`has no threads:\n${output}`)
  } finally {
    server.kill('SIGKILL')
  }
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function run(cwd, command, args, env) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 600_000,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`)
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
