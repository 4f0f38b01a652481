import type { Endpoint } from '../../../src/endpoints/http/endpoint.ts'
import { createDice, type Dice } from './dice.ts'
import { bodyFields, queryFields } from './endpoints.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { type Body, oddBody } from './odd-bodies.ts'
import { harmlessHeaders, oddHeaders, oddMethod, oddPath, oddQuery } from './odd-requests.ts'
import { oddAuthorization } from './odd-tokens.ts'
import { rightBody, rightTarget, rightToken } from './right-requests.ts'

/** The parts of a request, of which some cannot be expressed as a `Request`. */
export interface FuzzCase {
  method: string
  target: string
  headers: Record<string, string>
  body: Body | undefined
  ip: string | undefined
}

const addresses = [
  '203.0.113.9',
  '::ffff:203.0.113.9',
  '2001:db8::1',
  'fe80::1%eth0',
  '',
  'no address',
  '1',
  '203.0.113.9:80',
  '999.1.1.1',
  undefined,
]

/**
 * Creates the request with this number to an endpoint. Every second one is valid, so that it passes
 * all checks of form; the others are odd in one to three places.
 */
export async function makeCase(
  route: string,
  endpoints: readonly Endpoint[],
  world: FuzzWorld,
  { seed, index }: { seed: number; index: number },
): Promise<FuzzCase> {
  const dice = createDice(seed, `${route} ${index}`)
  const endpoint = dice.pick(endpoints)
  const right = await rightCase(endpoint, world, dice)
  if (isInOrder(index)) return right
  let odd = right
  for (let left = 1 + dice.below(3); left > 0; left--) odd = bend(odd, endpoint, world, dice)
  return odd
}

async function rightCase(endpoint: Endpoint, world: FuzzWorld, dice: Dice): Promise<FuzzCase> {
  const token = await rightToken(endpoint, world, dice)
  const body = rightBody(endpoint, world, dice)
  return {
    method: endpoint.method,
    target: rightTarget(endpoint, world, dice),
    headers: { ...harmlessHeaders(dice), ...(token && { authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body),
    ip: dice.pick(addresses),
  }
}

function bend(one: FuzzCase, endpoint: Endpoint, world: FuzzWorld, dice: Dice): FuzzCase {
  const [path = '', query] = one.target.split('?')
  const suffix = query === undefined ? '' : `?${query}`
  const right = rightBody(endpoint, world, dice) ?? {}
  const body = () => ({ body: oddBody(dice, right, bodyFields(endpoint)) })
  const ways: (() => Partial<FuzzCase>)[] = [
    body,
    body,
    body,
    () => ({ target: oddPath(dice, path) + suffix }),
    () => ({ target: `${path}${suffix || '?'}${oddQuery(dice, queryFields(endpoint))}` }),
    () => ({ headers: { ...one.headers, ...oddHeaders(dice) } }),
    () => ({
      headers: {
        ...one.headers,
        authorization: oddAuthorization(dice, world.material, world.forged),
      },
    }),
    ...(dice.chance(30) ? [() => ({ method: oddMethod(dice) })] : []),
  ]
  return { ...one, ...dice.pick(ways)() }
}

/** Returns whether the request with this number is valid. */
export const isInOrder = (index: number): boolean => index % 2 === 0

/** Returns null for a request that no `Request` can express. */
export function toRequest({ method, target, headers, body }: FuzzCase): Request | null {
  const sendsBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const init: RequestInit = { method, headers, ...(sendsBody && { body, duplex: 'half' as const }) }
  try {
    return new Request(`http://auth.test${target}`, init)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Describes a request, so that it can be repeated. */
export function describeCase({ method, target, headers, body, ip }: FuzzCase): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${shorten(value)}`)
  const text = body instanceof ReadableStream ? 'a stream' : Buffer.from(body ?? '').toString()
  return [`${method} ${shorten(target)} from ${ip}`, ...fields, shorten(text)].join(' | ')
}

const shorten = (text: string): string =>
  text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length} characters)`
