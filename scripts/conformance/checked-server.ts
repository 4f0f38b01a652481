// The server of the conformance cases: the built service behind a proxy, which compares each
// response with the OpenAPI document. It appends a line per response to the file in
// CONFORMANCE_RESPONSES: empty, or the difference.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { objectionTo } from '../../test/support/openapi/holds-for.ts'
import { pooledEnvironment } from '../../test/support/pooled-environment.ts'

const { env } = process
const cli = new URL('../../dist/standalone/cli.js', import.meta.url).pathname
const responses = env['CONFORMANCE_RESPONSES']
if (!responses) throw new Error('CONFORMANCE_RESPONSES must contain the path of a file')

/**
 * The lowest cost of hashes, so that requests end in time on a busy machine. No case is about the
 * cost.
 */
const cheapHashes = { AUTH_PASSWORD_HASH_MEMORY_KIB: '64', AUTH_PASSWORD_HASH_ITERATIONS: '1' }

/** A pooler in front of the database, if `TEST_POOLER` names one. */
const pooled = JSON.parse(env['CONFORMANCE_POOLED'] ?? 'null')

/** A request to it kills the primary of the database, if that is a cluster. */
const killUrl = env['CONFORMANCE_KILL_URL']
/** The request of a profile before which the primary is killed. */
const killAt = 5
let received = 0
/** The time in which a request is repeated, longer than a failover. */
const patienceMs = 60_000

const behind = createServer().listen(0, '127.0.0.1', () => {
  const address = behind.address()
  const port = typeof address === 'object' && address ? address.port : 0
  behind.close(() => listen(responses, port))
})

function listen(responses: string, port: number): void {
  const settings = {
    PORT: String(port),
    AUTH_API_PORT: String(port),
    ...cheapHashes,
    ...(pooled && pooledEnvironment(pooled, env['AUTH_DATABASE_URL'] ?? '')),
  }
  const child = spawn(process.execPath, [cli], { stdio: 'inherit', env: { ...env, ...settings } })
  child.once('exit', (code) => process.exit(code ?? 1))
  process.once('SIGTERM', () => child.kill())

  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    // The body is read to its end: a server that rejects it earlier would close this connection,
    // too.
    const given = await read(incoming)
    // The runner repeats it until the service has started.
    if (path !== '/health') received += 1
    if (killUrl && received === killAt) await fetch(killUrl)
    const passOn = (until: number) => {
      const passed = request({ host: '127.0.0.1', port, method, path, headers }, async (answer) => {
        const body = await read(answer)
        appendFileSync(responses, `${objectionOf(incoming, answer, body) ?? ''}\n`)
        if (killUrl && isPassing(incoming, answer) && Date.now() < until) {
          setTimeout(() => passOn(until), 200)
          return
        }
        outgoing.writeHead(answer.statusCode ?? 502, ownHeaders(answer)).end(body)
      })
      // The response of a server that closed the connection is used.
      passed.on('error', () => setTimeout(() => outgoing.headersSent || outgoing.destroy(), 100))
      passed.end(given)
    }
    passOn(Date.now() + patienceMs)
  })
  proxy.listen(Number(env['AUTH_API_PORT']), '127.0.0.1')
}

/** Whether a failover explains the response, which is recorded. */
function isPassing(
  { method, url = '' }: IncomingMessage,
  { statusCode, headers }: IncomingMessage,
): boolean {
  if (statusCode !== 503 && statusCode !== 504) return false
  const isRight = statusCode === 504 || headers['retry-after'] !== undefined
  const line = `${method} ${url.replace(/[?#].*/, '')} ${statusCode}`
  appendFileSync(
    env['CONFORMANCE_REPEATED'] ?? '',
    `${isRight ? line : `FAIL ${line} has no Retry-After`}\n`,
  )
  return true
}

/** Returns the headers, except headers of the connection. @see RFC 9110 §7.6.1 */
function ownHeaders({ rawHeaders }: IncomingMessage): string[] {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  )
  return pairs.filter(([name = '']) => !/^(connection|keep-alive)$/i.test(name)).flat()
}

async function read(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part)
  return Buffer.concat(parts)
}

function objectionOf(
  { method = '', url = '' }: IncomingMessage,
  { statusCode = 0, headers }: IncomingMessage,
  body: Buffer,
): string | null {
  return objectionTo({
    method,
    path: url.replace(/[?#].*/, ''),
    status: statusCode,
    contentType: headers['content-type'] ?? null,
    body: parse(String(body)),
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
