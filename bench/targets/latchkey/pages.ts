import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'
import { answerQuestions } from '../../kit/answer-questions.ts'
import { secret } from '../../kit/people.ts'
import { median } from '../../kit/statistics.ts'
import { databaseUrl } from '../serve.ts'

// The sign-in page beside a handler of node:http that sends the same bytes, in one process.

/** Milliseconds from the request to the end of the response, and the bytes of a first load. */
export interface PageFigures {
  page: number
  bare: number
  bytes: number
  files: number
}

const server = createServer((request, response) => {
  if (request.url === '/bare') response.writeHead(200, html).end(document)
  else void handle(request, response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const origin = `http://127.0.0.1:${port}`
const html = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }

const auth = createAuth({
  siteUrl: 'https://app.example.test',
  externalUrl: 'https://app.example.test/auth',
  database: { url: databaseUrl, maxPoolSize: 10 },
  jwt: { secret },
  email: { autoconfirm: true },
  passkeys: { enabled: true },
  providers: { github: { clientId: 'client', clientSecret: 'secret' } },
  pages: { enabled: true, name: 'Acme' },
})
await auth.ready()
const handle = toNode(auth)

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const document = await load('/auth/sign-in')

answerQuestions({
  time: async ({ count }: { count: number }): Promise<PageFigures> => {
    const page: number[] = []
    const bare: number[] = []
    for (let done = 0; done < count; done += 1) {
      page.push(await millisecondsOf('/auth/sign-in'))
      bare.push(await millisecondsOf('/bare'))
    }
    const files = [...document.matchAll(/(?:href|src)="(\/auth\/[^"]+\.(?:css|js)[^"]*)"/g)]
    const loaded = await Promise.all(files.map(([, path = '']) => load(path)))
    const bytes = [document, ...loaded].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    return { page: median(page), bare: median(bare), bytes, files: files.length }
  },
})

async function millisecondsOf(path: string): Promise<number> {
  const startedAt = performance.now()
  await load(path)
  return performance.now() - startedAt
}

async function load(path: string): Promise<string> {
  const [response] = (await once(get(`${origin}${path}`, { agent }), 'response')) as [
    IncomingMessage,
  ]
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
  response.setEncoding('utf8')
  let text = ''
  for await (const part of response) text += part
  return text
}
