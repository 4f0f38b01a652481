// A serverless host: it does nothing between requests, when the parent process stops it. It prints
// `COME` at each request, and `IDLE` once no work of the requests is running, both with the number
// of requests so far. LATCHKEY_CONFIG is the configuration. With LATCHKEY_WAIT_UNTIL, background
// work extends the lifetime.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import { advanceClock, enter, leave } from './gated-timers.ts'

const { createAuth } = (await import(
  new URL('../../../dist/index.js', import.meta.url).href
)) as typeof import('../../../src/index.ts')

const write = (level: string) => (fields: object, msg: string) =>
  console.error(JSON.stringify({ level, ...fields, msg }))
const logger = {
  debug: () => {},
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
  fatal: write('fatal'),
}
const auth = createAuth({ ...JSON.parse(process.env['LATCHKEY_CONFIG'] ?? '{}'), logger })

let come = 0
const end = () => {
  if (leave()) console.log(`IDLE ${come} `)
}
const waitUntil = (work: Promise<void>): void => {
  enter()
  work.then(end)
}

const server = createServer(async (req, res) => {
  come += 1
  console.log(`COME ${come} `)
  enter()
  res.once('close', end)
  const request = new NodeRequest({ req, res })
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/advance') {
    advanceClock(Number(searchParams.get('seconds')))
    return void res.end()
  }
  if (pathname === '/due-work') return void res.end(JSON.stringify(await auth.runDueWork()))
  const ip = req.socket.remoteAddress
  const options = process.env['LATCHKEY_WAIT_UNTIL'] ? { ip, waitUntil } : { ip }
  await sendNodeResponse(res, await auth.fetch(request, options))
})
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => {
  console.log(
    `"url":"http://127.0.0.1:${(server.address() as AddressInfo).port}","msg":"listening"`,
  )
})
process.once('SIGTERM', async () => {
  enter()
  server.close()
  server.closeAllConnections()
  await auth.close()
  process.exit()
})
