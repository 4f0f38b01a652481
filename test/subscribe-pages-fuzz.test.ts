import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseSeed, createDice, type Dice } from './support/fuzz/dice.ts'
import { describeCase, type FuzzCase, isInOrder, toRequest } from './support/fuzz/fuzz-case.ts'
import { createFuzzWorld, type FuzzWorld, startFuzzedAuth } from './support/fuzz/fuzz-world.ts'
import { findSecret } from './support/fuzz/judge-answer.ts'
import { oddBody } from './support/fuzz/odd-bodies.ts'
import { oddHeaders, oddMethod, oddPath, oddQuery } from './support/fuzz/odd-requests.ts'
import { oddAuthorization } from './support/fuzz/odd-tokens.ts'
import { canary, oddText, storableText } from './support/fuzz/odd-values.ts'
import { basicHeader, pagesBeside, prefix, type TestPages } from './support/pages.ts'

// Odd input to every route of the subscription pages: see fuzz.test.ts.

const casesPerRoute = Number(process.env.FUZZ_CASES ?? 10)
const seed = chooseSeed()

let pages: TestPages
let world: FuzzWorld
let key: string

beforeAll(async () => {
  const auth = await startFuzzedAuth()
  pages = pagesBeside(auth)
  world = await createFuzzWorld(auth, 'subscribe-pages')
  key = (await pages.admin()).key
  for (let at = 0; at < 5; at += 1) await pages.page(key, { active: at % 2 === 0 })
  await pages.pages.lists.create({ name: 'News', public: true })
})
afterAll(() => pages.close())

const entries = (dice: Dice) =>
  Array.from({ length: dice.below(5) }, () => ({
    key: `${canary}${dice.below(9)}`,
    value: `${canary}${storableText(dice)}`,
  }))

const page = (dice: Dice) => ({
  title: `${canary} ${storableText(dice)}`.slice(0, 200),
  ...(dice.chance(50) && { active: dice.chance(50) }),
  ...(dice.chance(70) && { data: entries(dice) }),
})
const someId = (dice: Dice) => dice.pick([1, 2, 3, 4, 5, 999, 0, '007'])

interface Route {
  method: string
  path(dice: Dice): string
  body?(dice: Dice): Record<string, unknown>
  query?: readonly string[]
}

const routes: Record<string, Route> = {
  'log in': {
    method: 'POST',
    path: () => '/sessions',
    body: (dice) => ({ login_name: dice.pick([...world.emails, oddText(dice)]), password: canary }),
  },
  me: { method: 'GET', path: () => '/sessions/me' },
  'log out': { method: 'DELETE', path: (dice) => `/sessions/${99 + dice.below(9)}` },
  list: { method: 'GET', path: () => '/subscribe-pages', query: ['after_id', 'limit'] },
  create: { method: 'POST', path: () => '/subscribe-pages', body: page },
  read: { method: 'GET', path: (dice) => `/subscribe-pages/${someId(dice)}` },
  update: { method: 'PUT', path: (dice) => `/subscribe-pages/${someId(dice)}`, body: page },
  delete: { method: 'DELETE', path: (dice) => `/subscribe-pages/${500 + dice.below(99)}` },
  'public list': { method: 'GET', path: (dice) => `/lists/${someId(dice)}/public` },
}

function makeCase(name: string, route: Route, index: number): FuzzCase {
  const dice = createDice(seed, `${name} ${index}`)
  const right = route.body?.(dice)
  const one: FuzzCase = {
    method: route.method,
    target: prefix + route.path(dice),
    headers: { 'php-auth-pw': key },
    body: right && JSON.stringify(right),
    ip: '203.0.113.9',
  }
  return isInOrder(index) ? one : bend(one, route, right ?? {}, dice)
}

function bend(
  one: FuzzCase,
  { query = [] }: Route,
  right: Record<string, unknown>,
  dice: Dice,
): FuzzCase {
  const authorization = () => oddAuthorization(dice, world.material, world.forged)
  const oddKey = () =>
    dice.pick([basicHeader(oddText(dice)), 'Basic', 'Basic =', `Basic ${canary}`, authorization()])
  const ways: (() => Partial<FuzzCase>)[] = [
    () => ({ body: oddBody(dice, right, ['title', 'active', 'data', 'login_name', 'password']) }),
    () => ({ body: oddBody(dice, { ...right, data: [{ key: 'a', value: 'b' }] }, ['data']) }),
    () => ({ target: oddPath(dice, one.target) }),
    () => ({ target: `${one.target}?${oddQuery(dice, query)}` }),
    () => ({ headers: { ...one.headers, ...oddHeaders(dice) } }),
    () => ({ headers: { authorization: oddKey() } }),
    () => ({ headers: { ...one.headers, authorization: oddKey() } }),
    () => ({ method: oddMethod(dice) }),
  ]
  return { ...one, ...dice.pick(ways)() }
}

function judge(method: string, { status, headers }: Response, text: string): string[] {
  const body = parsed(text)
  const names = Object.keys(body ?? {})
  const allowed = status === 422 ? ['message', 'errors'] : ['message']
  const faults = [
    status >= 500 && `answered ${status}`,
    !headers.get('x-request-id') && 'has no request id',
    headers.get('x-content-type-options') !== 'nosniff' && 'may be guessed at',
    headers.get('access-control-allow-origin') && 'is for scripts of other origins',
    text !== '' && body === undefined && 'is not JSON',
    text === '' && status !== 204 && method !== 'HEAD' && 'is empty',
    status >= 400 &&
      text !== '' &&
      names.some((name) => !allowed.includes(name)) &&
      `says ${names}`,
    // Unexpected members of an entry are named in the response; nothing else is repeated.
    status >= 400 &&
      status !== 422 &&
      status < 404 &&
      findSecret(text) &&
      `tells ${findSecret(text)}`,
  ]
  return faults.filter((fault) => typeof fault === 'string')
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe(`odd input to subscription pages (FUZZ_SEED=${seed})`, () => {
  it.each(Object.keys(routes))('gets a valid response: %s', async (name) => {
    const route = routes[name]
    if (!route) throw new Error(`${name} is not known`)
    pages.auth.log.length = 0
    const faults: string[] = []
    let good = 0
    for (let index = 0; index < casesPerRoute; index += 1) {
      const one = makeCase(name, route, index)
      const request = toRequest(one)
      if (!request) continue
      const answer = await pages.pages.fetch(request, { ip: one.ip })
      if (answer.status < 400 || [401, 404].includes(answer.status)) good += 1
      for (const fault of judge(one.method, answer, await answer.text())) {
        faults.push(`FUZZ_SEED=${seed} ${name} #${index} ${fault}: ${describeCase(one)}`)
      }
    }

    expect(faults.slice(0, 10)).toEqual([])
    // Half of them, in a long run.
    if (casesPerRoute >= 500) expect(good).toBeGreaterThanOrEqual(casesPerRoute * 0.3)
    expect(pages.auth.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    expect(findSecret(JSON.stringify(pages.auth.log))).toBeUndefined()
  })
})
