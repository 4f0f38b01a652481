// `npm run test:hosts [-- fastify next …]`: packs the build and installs it in applications of
// other frameworks, most of them the examples. It installs each framework from npm in a folder
// below the temporary one, builds it, moves the build away from its project, runs it there, and
// signs up and in over HTTP.
//
// Without names it tests the hosts of one file and one of each kind of build; `all` tests the
// others too, for minutes more. LATCHKEY_HOSTS_FOLDER keeps the folder, so that the next run need
// not install again.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildHost, copyAway } from './hosts/build-host.mjs'
import { certificateFile } from './hosts/certificate.mjs'
import { hosts, usualHosts } from './hosts/hosts.mjs'
import { runHost } from './hosts/run-host.mjs'
import { startTlsFront } from './hosts/tls-front.mjs'
import { useCookies } from './hosts/use-cookies.mjs'
import { useHost } from './hosts/use-host.mjs'
import { useInBrowser } from './hosts/use-in-browser.mjs'
import { startClientDocument, useMcp } from './hosts/use-mcp.mjs'
import { useProduct } from './hosts/use-product.mjs'
import { pack } from './pack.mjs'

const { readMailbox } = await import('../test/support/read-mailbox.ts')
const { startBrowser } = await import('../test/support/start-browser.ts')
const { startSmtpServer } = await import('../test/support/smtp-server.ts')
const { startPostgres } = await import('../test/support/start-postgres.ts')
const { runSql, databaseUrl } = await import('../test/support/sql.ts')

const jwtSecret = 'a secret for hosts of more than 32 bytes'
const given = process.argv.slice(2)
const chosen = given.length === 0 ? usualHosts : given.includes('all') ? Object.keys(hosts) : given
const unknown = chosen.filter((name) => !hosts[name])
if (unknown.length > 0)
  throw new Error(`no such host: ${unknown}; use all, or ${Object.keys(hosts)}`)

const kept = process.env.LATCHKEY_HOSTS_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'latchkey-hosts-'))
mkdirSync(folder, { recursive: true })
const postgres = await startPostgres()
const smtp = await startSmtpServer()
let failures = 0
try {
  const packed = pack(folder).path
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
  await smtp.close()
  await postgres.stop()
  if (!kept) rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures > 0 ? 1 : 0

/**
 * @param {string} name
 * @param {string} packed
 */
async function tryHost(name, packed) {
  const host = hosts[name]
  if (!host) throw new Error(name)
  const env = {
    // The builds and hosts receive no variables of npm or of this run.
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
    ASTRO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    ...(!host.script && { NODE_ENV: 'production' }),
  }
  const project = buildHost(name, host, { folder, packed, env })
  const away = host.moved ? copyAway(project, host.moved) : project
  const hidden = `${project}-hidden`
  if (host.moved) renameSync(project, hidden)
  try {
    await signUpAndIn(name, away, env)
  } finally {
    if (host.moved) renameSync(hidden, project)
  }
}

/**
 * @param {string} name
 * @param {string} built
 * @param {NodeJS.ProcessEnv} env
 */
async function signUpAndIn(name, built, env) {
  const host = hosts[name]
  if (!host) throw new Error(name)
  const database = databaseUrl(postgres.url, `hosts_${name.replace(/\W/g, '_')}`)
  await runSql(postgres.url, `create database ${new URL(database).pathname.slice(1)}`)
  const front = await startTlsFront()
  const document = host.hasMcp ? await startClientDocument() : null
  const running = await runHost(built, host, {
    ...env,
    DATABASE_URL: database,
    JWT_SECRET: jwtSecret,
    SITE_URL: front.url,
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    ...(document && {
      TRUSTED_CLIENT_HOSTS: new URL(document.url).host,
      NODE_EXTRA_CA_CERTS: certificateFile,
    }),
  }).catch((error) => {
    front.close()
    document?.close()
    throw error
  })
  front.leadTo(running.url)
  try {
    const readCode = host.script ? codeOnPage(running) : () => codeInMail(host.mailSubject)
    const isApplication = host.hasPages || host.isProduct || host.hasMcp
    const hasProfile = Boolean(host.script ?? host.folder) && !isApplication
    const credentials = await useHost(running.url, { readCode, hasProfile })
    const visited = {
      credentials,
      jwtSecret,
      countRenewals: countingRenewals(database),
      nextMail: () => smtp.nextMail(),
      makeAdmin: (/** @type {string} */ email) =>
        runSql(database, {
          text: `update auth.users set role = 'admin', version = version + 1 where email = $1`,
          values: [email],
        }),
    }
    if (host.hasPages || host.isProduct || host.use) await visit(front.url, visited, name)
    if (document) await visitMcp(front.url, { credentials, project: built, document }, name)
    if (host.hasSessions) await useCookies(running.url, { ...visited, origin: front.url })
    await expectAddress(database, host.hidesAddress ? null : '127.0.0.1')
    const output = running.output()
    if (/hashing threads unavailable/.test(output))
      throw new Error('hashing threads are unavailable')
    if (/waitUntil failed;/.test(output)) throw new Error('waitUntil of the host failed')
    if (host.hidesAddress && !/received no `ip`/.test(output))
      throw new Error('the warning about the client address is missing')
  } catch (error) {
    throw new Error(`${error}\n${running.output()}`)
  } finally {
    running.stop()
    front.close()
    document?.close()
  }
}

/**
 * @typedef {Omit<import('./hosts/use-in-browser.mjs').Visit, 'browser'>} Visited
 * @param {string} url
 * @param {Visited & { makeAdmin: (email: string) => Promise<unknown> }} visited
 * @param {string} name
 */
async function visit(url, visited, name) {
  const browser = await startBrowser(`the pages of ${name}`)
  if (!browser) return
  try {
    const visitor = { browser, ...visited }
    if (hosts[name]?.isProduct) return await useProduct(url, visitor)
    if (hosts[name]?.hasPages) await useInBrowser(url, visitor)
    await hosts[name]?.use?.(url, visitor)
  } finally {
    await browser.close()
  }
}

/**
 * @param {string} url
 * @param {Omit<import('./hosts/use-mcp.mjs').McpVisit, 'browser'>} visited
 * @param {string} name
 */
async function visitMcp(url, visited, name) {
  const browser = await startBrowser(`the MCP server of ${name}`)
  if (!browser) return
  try {
    await useMcp(url, { browser, ...visited })
  } finally {
    await browser.close()
  }
}

function countingRenewals(/** @type {string} */ database) {
  return async (/** @type {string} */ id) => {
    const text = 'select refresh_token_counter as count from auth.sessions where id = $1'
    const [session] = await runSql(database, { text, values: [id] })
    return Number(session?.count)
  }
}

/** Expects this address in all sessions: no header of a client replaces it. */
async function expectAddress(/** @type {string} */ database, /** @type {string | null} */ address) {
  const rows = await runSql(database, 'select distinct host(ip) as ip from auth.sessions')
  if (rows.length !== 1 || rows[0]?.ip !== address)
    throw new Error(`addresses of sessions: ${JSON.stringify(rows)}`)
}

/** @param {string} [wanted] the subject of the mail */
async function codeInMail(wanted) {
  const { subject, text } = await smtp.nextMail()
  if (wanted && subject !== wanted) throw new Error(`the subject of the mail: ${subject}`)
  return codeIn(text ?? '')
}

/** @param {import('./hosts/run-host.mjs').RunningHost} running */
function codeOnPage({ output }) {
  return async (/** @type {string} */ email) => {
    const [entry = ''] = /http:\S+\/_latchkey\/mail\?token=\w+/.exec(output()) ?? []
    const { newest } = await readMailbox(entry)
    return (await newest(email)).code
  }
}

/** @param {string} text */
function codeIn(text) {
  const [code] = /\b\d{6}\b/.exec(text) ?? []
  if (!code) throw new Error(`no code in the mail:\n${text}`)
  return code
}
