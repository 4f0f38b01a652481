import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { listen } from './listen.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const settings = async (shutdownDelaySeconds: number) => {
  const { config } = await auth.deps()
  const server = { ...config.server, host: '127.0.0.1', port: 0, shutdownDelaySeconds }
  return { ...config, server }
}

/** Returns the status of a response on the connection of the agent. */
const statusOn = (agent: Agent, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) =>
      response.resume().once('end', () => resolve(response.statusCode)),
    ).once('error', reject)
  })

it('N11: returns 503 for /ready before it closes the listener, and serves all else', async () => {
  const { promise: delay, resolve: endDelay } = Promise.withResolvers<void>()
  const waited: number[] = []
  const { url, addresses, stop } = await listen(
    { app: auth.auth.app, close: async () => {} },
    await settings(5),
    {
      wait: (ms) => {
        waited.push(ms)
        return delay
      },
      limits: { lingerMs: 0 },
    },
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const before = [await statusOn(agent, `${url}/ready`), await statusOn(agent, `${url}/health`)]

  const stopped = stop()
  const ready = await ask(url, 'GET', '/ready')
  const kept = [await statusOn(agent, `${url}/ready/`), await statusOn(agent, `${url}/health`)]
  endDelay()
  await stopped

  expect(before).toEqual([200, 200])
  expect([ready.status, ready.body.msg]).toEqual([503, 'Not ready: stopping'])
  expect([ready.headers.get('cache-control'), kept, waited]).toEqual([
    'no-store',
    [503, 200],
    [5000],
  ])
  expect(addresses).toEqual([url])
  await expect(ask(url, 'GET', '/health')).rejects.toThrow('fetch failed')
  agent.destroy()
})
