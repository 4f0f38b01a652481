import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../src/endpoints/http/endpoint.ts'
import { createEndpoints, serviceOf } from '../src/service/create-app.ts'
import { chooseSeed } from './support/fuzz/dice.ts'
import { bodyFields, endpointsByRoute, queryFields } from './support/fuzz/endpoints.ts'
import {
  describeCase,
  type FuzzCase,
  isInOrder,
  makeCase,
  toRequest,
} from './support/fuzz/fuzz-case.ts'
import { createFuzzWorld, type FuzzWorld, startFuzzedAuth } from './support/fuzz/fuzz-world.ts'
import { findSecret, judgeAnswer } from './support/fuzz/judge-answer.ts'
import type { TestAuth } from './support/test-auth.ts'

/** CI sends more (scripts/test-fuzz.mjs). A few cases cannot be expressed as a `Request`. */
const casesPerRoute = Number(process.env.FUZZ_CASES ?? 10)
/** A short run omits some values by chance. */
const isLong = casesPerRoute >= 500

// `FUZZ_SEED=… npm test test/fuzz` repeats the same requests, up to `FUZZ_CASES`.
const seed = chooseSeed()

/** Their flows require an ID token or a consent, which no description of a request contains. */
const needStoredClients = new Set([
  'GET /oauth/logout',
  'POST /oauth/logout',
  'DELETE /user/oauth/grants',
])

let auth: TestAuth

beforeAll(async () => {
  auth = await startFuzzedAuth()
})
afterAll(() => auth.close())

describe(`odd input (FUZZ_SEED=${seed})`, () => {
  it('is sent to every route, since each has a description', async () => {
    const routes = createEndpoints(serviceOf(await auth.deps()))['~routes']

    const named = routes
      .filter(({ method }) => method && method !== 'HEAD')
      .map(({ method, route }) => `${method} ${route}`)

    expect(named.sort()).toEqual(Object.keys(endpointsByRoute).sort())
  })

  it.each(Object.keys(endpointsByRoute))(
    'gets a valid response without internals: %s',
    async (route) => {
      const world = await createFuzzWorld(auth, route)
      auth.log.length = 0

      const { sent, reachedFlow, faults, untried } = await fuzz(route, world)

      expect(faults.slice(0, 10)).toEqual([])
      expect(sent).toBeGreaterThanOrEqual(casesPerRoute * 0.9)
      // Half of them are valid.
      if (isLong && !needStoredClients.has(route)) {
        expect(reachedFlow).toBeGreaterThanOrEqual(casesPerRoute * 0.3)
      }
      if (isLong) expect([...untried]).toEqual([])
      expect(auth.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
      expect(findSecret(JSON.stringify(auth.log))).toBeUndefined()
    },
    300_000,
  )
})

async function fuzz(route: string, world: FuzzWorld) {
  const endpoints = endpointsByRoute[route]
  if (!endpoints) throw new Error(`${route} is not known`)
  const untried = new Set(endpoints.flatMap(described))
  const result = { sent: 0, reachedFlow: 0, faults: [] as string[], untried }
  for (let index = 0; index < casesPerRoute; index++) {
    const one = await makeCase(route, endpoints, world, { seed, index })
    const request = toRequest(one)
    if (!request) continue
    result.sent += 1
    if (isInOrder(index)) for (const name of given(one)) untried.delete(name)
    const fail = (fault: string) =>
      result.faults.push(`FUZZ_SEED=${seed} ${route} #${index} ${fault}: ${describeCase(one)}`)
    try {
      const answer = await auth.auth.fetch(request, { ip: one.ip })
      const { faults, reachedFlow } = await judgeAnswer(one.method, answer)
      if (reachedFlow) result.reachedFlow += 1
      faults.forEach(fail)
    } catch (error) {
      fail(`threw ${String(error)}`)
    }
  }
  return result
}

/** Returns the fields of a request in a description. */
const described = (endpoint: Endpoint): string[] => [
  ...queryFields(endpoint).map((name) => `query ${name}`),
  ...bodyFields(endpoint).map((name) => `body ${name}`),
]

/** Returns the fields that a valid request contains. */
const given = ({ target, body }: FuzzCase): string[] => [
  ...[...new URL(target, 'http://auth.test').searchParams.keys()].map((name) => `query ${name}`),
  ...Object.keys(typeof body === 'string' ? JSON.parse(body) : {}).map((name) => `body ${name}`),
]
