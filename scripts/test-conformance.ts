// `npm run test:conformance`: replays the recorded conformance cases against what was built, behind a proxy that
// holds each answer against the OpenAPI document. It fails for an answer that the document does not know; which
// cases pass is for the runner to say, and areas that are not built fail there. The runner is looked for beside the
// checkout, or where CONFORMANCE_RUNNER says. It has a PostgreSQL of its own, unless CONFORMANCE_DATABASE_URL_BASE
// names a server on which databases may be made.
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { objectionTo } from '../test/support/openapi/holds-for.ts'
import { startPostgres } from '../test/support/start-postgres.ts'

const { env } = process
const cli = new URL('../dist/standalone/cli.js', import.meta.url).pathname
const besideCheckout = new URL('../../shared/conformance/conformance.mjs', import.meta.url).pathname

const file = env['CONFORMANCE_ANSWERS']
if (file) serve(file)
else process.exitCode = await replay()

/** Runs the cases, with this script as the server, and tells what came of it. */
async function replay(): Promise<number> {
  const runner = env['CONFORMANCE_RUNNER'] ?? besideCheckout
  if (!existsSync(runner)) {
    console.error(`NOT RUN: there are no conformance cases at ${runner}`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-conformance-'))
  const answers = join(folder, 'answers')
  writeFileSync(answers, '')
  const target = `${process.execPath} --conditions=latchkey-source ${import.meta.filename}`
  const words = [runner, '--target', target, ...process.argv.slice(2)]
  const postgres = env['CONFORMANCE_DATABASE_URL_BASE'] ? null : await startPostgres()
  const databases = postgres ? { CONFORMANCE_DATABASE_URL_BASE: postgres.url } : {}
  const { status } = spawnSync(process.execPath, words, {
    stdio: 'inherit',
    env: { ...env, ...databases, CONFORMANCE_ANSWERS: answers },
  })
  await postgres?.stop()
  const lines = readFileSync(answers, 'utf8').split('\n').slice(0, -1)
  rmSync(folder, { recursive: true })
  const objections = [...new Set(lines.filter((line) => line !== ''))]
  for (const objection of objections) console.error(objection)
  console.log(
    `the runner ended with ${status}; OpenAPI: ${lines.length} answers, ${objections.length} objections`,
  )
  return lines.length > 0 && objections.length === 0 ? 0 : 1
}

/** Starts the service behind a proxy, which writes a line for each answer: empty, or what is wrong with it. */
function serve(answers: string): void {
  const behind = createServer().listen(0, '127.0.0.1', () => {
    const address = behind.address()
    const port = typeof address === 'object' && address ? address.port : 0
    behind.close(() => listen(answers, port))
  })
}

function listen(answers: string, port: number): void {
  const ports = { PORT: String(port), AUTH_API_PORT: String(port) }
  const child = spawn(process.execPath, [cli], { stdio: 'inherit', env: { ...env, ...ports } })
  child.once('exit', (code) => process.exit(code ?? 1))
  process.once('SIGTERM', () => child.kill())

  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    // A body is read to its end: a server that refuses it before would hang up on this connection, too.
    const given = await read(incoming)
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, async (answer) => {
      const body = await read(answer)
      outgoing.writeHead(answer.statusCode ?? 502, ownHeaders(answer)).end(body)
      appendFileSync(answers, `${objectionOf(incoming, answer, body) ?? ''}\n`)
    })
    // The answer of a server that hung up counts.
    passed.on('error', () => setTimeout(() => outgoing.headersSent || outgoing.destroy(), 100))
    passed.end(given)
  })
  proxy.listen(Number(env['AUTH_API_PORT']), '127.0.0.1')
}

/** Without those of the connection, which is another one. @see RFC 9110 §7.6.1 */
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
