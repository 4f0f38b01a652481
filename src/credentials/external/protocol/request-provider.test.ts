import { expect, it } from 'vitest'
import { startWebServer } from '../../../../test/support/web-server.ts'
import { systemClock } from '../../../platform/kit/clock.ts'
import { safeFetch } from '../../../platform/kit/safe-fetch.ts'
import { redeemGrant } from './redeem-grant.ts'
import { requestJson } from './request-provider.ts'

const needs = { fetch: safeFetch, timeoutMs: 5000, clock: systemClock }
const client = {
  clientId: 'client',
  clientIds: ['client'],
  clientSecret: 'secret',
  redirectUri: 'https://app.example.com/callback',
  url: null,
}

const rejectionOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Error) => error.message,
  )

it('rejects a profile with more values than a user needs', async () => {
  const values = (count: number) => `[${Array(count).fill('{}').join()}]`
  const answers: Record<string, [string, string]> = {
    '/few': ['application/json', values(16_000)],
    '/many': ['application/json', values(20_000)],
    '/form': ['application/x-www-form-urlencoded', 'a=1&'.repeat(20_000)],
  }
  await using server = await startWebServer((response, { path }) => {
    const [type = '', body = ''] = answers[path] ?? []
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  const ask = (path: string) => rejectionOf(requestJson(needs, `${server.url}${path}`))

  expect(await ask('/few')).toBeNull()
  expect(await ask('/many')).toBe(`${server.url} returned more than 16384 values`)
  expect(await ask('/form')).toBe(`${server.url} returned more than 16384 values`)
})

it('rejects token responses over 64 KiB, or with many other values', async () => {
  let more: object = {}
  await using server = await startWebServer((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: 'token', ...more }))
  })
  const endpoint = { url: server.url, trust: 'operator', clientAuthentication: 'body' } as const
  const { redirectUri } = client
  const grant = { code: 'code', codeVerifier: null, redirectUri }
  const redeem = () => rejectionOf(redeemGrant(needs, client, endpoint, grant))

  expect(await redeem()).toBeNull()
  more = { id_token: 'x'.repeat(60 * 1024) }
  expect(await redeem()).toBeNull()
  more = { id_token: 'x'.repeat(70 * 1024) }
  expect(await redeem()).toMatch(/large|more than|bytes/)
  more = { groups: Array(2000).fill([]) }
  expect(await redeem()).toBe(`${server.url} returned more than 1024 values`)
})
