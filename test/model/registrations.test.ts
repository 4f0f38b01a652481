import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeliveredMessage,
  type MessagingAuth,
  startMessagingAuth,
} from '../support/messages.ts'

// The content of an account after the confirmation of its address: all of it is from the client
// that confirms, or from the operator. Every order of up to three requests runs with every kind of
// confirmation, and the result is compared with `expectedAfter`.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

type Kind = 'email' | 'phone'
type Person = 'Ada' | 'Eve'

/** A request for Ada's address. */
interface Request {
  by: Person | 'operator'
  what: string
  /** True if it requests the address; with the password, if any. */
  claims?: 'password' | 'nothing'
  /**
   * Its effect: it assigns the account to an operator, changes an existing one, or both. An
   * imported account replaces an existing one, with all messages that were sent to it.
   */
  gives?: 'account' | 'gift' | 'both' | 'replacement'
  kinds?: readonly Kind[]
  send(scene: Scene): Promise<unknown>
}

interface Scene {
  kind: Kind
  address: Record<string, string>
  from: Record<Person, { ip: string }>
  service: { token: string }
}

const passwords = {
  Ada: 'the password of Ada',
  Eve: 'the password of Eve',
  operator: 'a password given',
}
const role = 'staff'

const requestsOf = (by: Person): Request[] => [
  {
    by,
    what: 'sign-up',
    claims: 'password',
    send: ({ address, from }) =>
      auth.post('/signup', { ...address, password: passwords[by], data: { name: by } }, from[by]),
  },
  {
    by,
    what: 'code',
    claims: 'nothing',
    send: ({ address, from }) => auth.post('/otp', { ...address, data: { name: by } }, from[by]),
  },
  {
    by,
    what: 'magic link',
    claims: 'nothing',
    kinds: ['email'],
    send: ({ address, from }) =>
      auth.post('/magiclink', { ...address, data: { name: by } }, from[by]),
  },
  {
    by,
    what: 'resend',
    send: ({ kind, address, from }) =>
      auth.post('/resend', { type: kind === 'email' ? 'signup' : 'sms', ...address }, from[by]),
  },
]

const ofOperator: Request[] = [
  {
    by: 'operator',
    what: 'invitation',
    gives: 'both',
    kinds: ['email'],
    send: ({ address, service }) =>
      auth.post('/invite', { ...address, data: { team: 'red' } }, service),
  },
  {
    by: 'operator',
    what: 'operator-made user',
    gives: 'account',
    send: ({ address, service }) => auth.post('/admin/users', { ...address, role }, service),
  },
  {
    by: 'operator',
    what: 'PUT /admin/users',
    gives: 'gift',
    send: async ({ address, kind, service }) => {
      const user = await findUser({ address, kind })
      if (user) await auth.put(`/admin/users/${user.id}`, { role }, service)
    },
  },
  {
    by: 'operator',
    what: 'import',
    gives: 'replacement',
    send: ({ address }) =>
      auth.auth.admin.importUsers([{ id: randomUUID(), ...address, role, invitedAt: new Date() }]),
  },
]

const all = [...requestsOf('Ada'), ...requestsOf('Eve'), ...ofOperator]

/** CI runs up to three (scripts/test-model.mjs). */
const requestsAtMost = Number(process.env.MATRIX_REQUESTS ?? 1)

/** Returns every sequence of requests up to that length with one by another requester than Eve. */
function sequences(kind: Kind): Request[][] {
  const usable = all.filter(({ kinds = [kind] }) => kinds.includes(kind))
  let longest: Request[][] = [[]]
  const found: Request[][] = []
  for (let length = 1; length <= requestsAtMost; length += 1) {
    longest = longest.flatMap((one) => usable.map((next) => [...one, next]))
    found.push(...longest)
  }
  return found.filter((one) => one.some(({ by }) => by !== 'Eve'))
}

/** The state that the rule requires after the requests, once Ada confirms the address. */
interface Expected {
  /** The user whose password signs in. */
  password: Person | null
  /**
   * The user whose sign-up or code request supplied the metadata; null where there must be none.
   */
  name: Person | null
}

/**
 * The rule. Requests for an unconfirmed address belong to one user if they come from one network:
 * the latest applies, and only the confirmation of a sign-up keeps a password. Requests from
 * different networks compete unless they contain the same password: then nothing of any is kept.
 *
 * A user of an operator keeps none of it and replaces the account. A change by an
 * operator competes with the account that existed.
 */
function expectedAfter(requests: readonly Request[], isOneNetwork: boolean): Expected {
  let holder: Holder | null = null
  let competes = false
  for (const { by, claims, gives } of requests) {
    if (by === 'operator') {
      if (gives !== 'gift') holder = { by }
      else if (holder !== null) competes = true
      continue
    }
    if (holder === null) holder = claims ? { by, claims, name: by } : null
    else if (holder.by !== 'operator' && !isOneNetwork && holder.by !== by) competes = true
    else if (holder.by !== 'operator' && !competes && claims) {
      holder = claims === 'password' ? { by, claims, name: by } : { ...holder, claims }
    }
  }
  if (!holder?.claims || competes || holder.by === 'operator') return { password: null, name: null }
  return { password: holder.claims === 'password' ? holder.by : null, name: holder.name ?? null }
}

/** The owner of an unconfirmed account, by the requests so far. */
interface Holder {
  by: Person | 'operator'
  claims?: 'password' | 'nothing'
  name?: Person
}

type Evidence = 'newest link' | 'oldest link' | 'newest code' | 'oldest code'

const evidence: Record<Kind, readonly Evidence[]> = {
  email: ['newest link', 'oldest link', 'newest code', 'oldest code'],
  phone: ['newest code', 'oldest code'],
}

/** Returns the confirmations to run: all for short sequences, one of them in turn for long ones. */
function waysFor(kind: Kind, requests: readonly Request[], index: number): readonly Evidence[] {
  if (requests.length < 3) return evidence[kind]
  return evidence[kind].filter((_way, place) => place === index % evidence[kind].length)
}

let scenes = 0

async function newScene(kind: Kind, isOneNetwork: boolean): Promise<Scene> {
  const number = ++scenes
  const address =
    kind === 'email'
      ? { email: `matrix-${number}@example.test` }
      : { phone: `49159${String(number).padStart(8, '0')}` }
  const ada = { ip: '203.0.113.10' }
  return {
    kind,
    address,
    from: { Ada: ada, Eve: isOneNetwork ? ada : { ip: '198.51.100.66' } },
    service: { token: await auth.given.serviceToken() },
  }
}

async function findUser({ kind, address }: Pick<Scene, 'kind' | 'address'>) {
  const [user] = await auth.rows<{
    id: string
    role: string
    user_metadata: Record<string, unknown>
  }>(`select id, role, user_metadata from auth.users where ${kind} = $1`, [address[kind]])
  return user
}

/** Confirms Ada's address with a message to her; the result is `void` if it is no longer valid. */
async function prove(scene: Scene, way: Evidence): Promise<'signed in' | 'void' | 'nothing sent'> {
  const messages: DeliveredMessage[] = await auth.messagesTo(scene.address[scene.kind] ?? '')
  const message = way.startsWith('oldest') ? messages[0] : messages.at(-1)
  if (!message) return 'nothing sent'
  if (way.endsWith('link')) {
    const { fragment } = await auth.follow(message)
    return fragment.has('access_token') ? 'signed in' : 'void'
  }
  const type = scene.kind === 'phone' ? 'sms' : 'email'
  const { status } = await auth.post(
    '/verify',
    { type, ...scene.address, token: message.code },
    scene.from.Ada,
  )
  return status === 200 ? 'signed in' : 'void'
}

const signsIn = async ({ address }: Scene, password: string) =>
  (await auth.post('/token?grant_type=password', { ...address, password })).status === 200

/** Returns the violations of the rule after a confirmation, in words. */
async function brokenPromises(
  requests: readonly Request[],
  isOneNetwork: boolean,
  scene: Scene,
  way: Evidence,
): Promise<string[]> {
  const proved = await prove(scene, way)
  if (proved === 'nothing sent') return []
  const expected = expectedAfter(requests, isOneNetwork)
  const wrong: string[] = []
  const messages = messagesOf(requests)
  const isVoid = messages.at(way.startsWith('newest') ? -1 : 0)?.isVoid
  if (isVoid) return proved === 'void' ? [] : ['a message to an account that gave way lets in']
  if (proved === 'void') {
    // A later request of the same network replaces the message; one of another network must not.
    if (way.startsWith('newest')) wrong.push('the newest message is void')
    if (!isReplaced(requests, isOneNetwork)) wrong.push('the oldest message is void')
    return wrong
  }
  for (const person of ['Ada', 'Eve'] as const) {
    const isIn = await signsIn(scene, passwords[person])
    if (isIn && expected.password !== person) wrong.push(`the password of ${person} is in force`)
    if (!isIn && expected.password === person) wrong.push(`the password of ${person} is lost`)
  }
  const user = await findUser(scene)
  const name = user?.user_metadata['name'] ?? null
  if (name !== expected.name) wrong.push(`the metadata is of ${name}, not of ${expected.name}`)
  if (givesRole(requests) && user?.role !== role) wrong.push('what the operator gave is lost')
  const team = user?.user_metadata['team'] ?? null
  if (team !== (givesTeam(requests) ? 'red' : null))
    wrong.push(`the operator's metadata is ${team}`)
  return wrong
}

/** Returns whether an operator's request takes effect: no account of another user prevents it. */
const isEffective = (requests: readonly Request[], index: number): boolean =>
  !requests
    .slice(0, index)
    .some(({ by, gives }, at, before) =>
      by === 'operator' ? gives !== 'gift' || before.slice(0, at).some(isHolding) : false,
    )

/**
 * A change by an operator applies to an existing account; a new user requires that no operator
 * created one before.
 */
const givesRole = (requests: readonly Request[]): boolean =>
  requests.some(({ what }, index) =>
    what === 'PUT /admin/users'
      ? requests.slice(0, index).some(isHolding)
      : (what === 'operator-made user' || what === 'import') && isEffective(requests, index),
  )

/** A user created by an operator has the metadata of the request; an invitation supplies none. */
const givesTeam = (requests: readonly Request[]): boolean =>
  requests.some(
    ({ what }, index) =>
      what === 'invitation' &&
      !requests.slice(0, index).some(({ gives }) => gives && gives !== 'gift'),
  )

const isHolding = ({ claims, gives }: Request) =>
  claims !== undefined || (gives !== undefined && gives !== 'gift')

/**
 * Returns the requests that sent a message, each with whether an import invalidated it by replacing
 * the account.
 */
const messagesOf = (requests: readonly Request[]) => {
  const replaced = requests.findIndex(
    ({ what }, index) => what === 'import' && isEffective(requests, index),
  )
  return requests
    .map((request, index) => ({ request, index, isVoid: index < replaced }))
    .filter(({ index }) => requests.slice(0, index + 1).some(isHolding))
    .filter(({ request: { by, what } }) => by !== 'operator' || what === 'invitation')
}

/** Returns whether the client that caused the oldest message has sent another request. */
function isReplaced(requests: readonly Request[], isOneNetwork: boolean): boolean {
  const clientOf = ({ by }: Request) => (isOneNetwork && by === 'Eve' ? 'Ada' : by)
  const [oldest, ...later] = messagesOf(requests).map(({ request }) => request)
  return oldest !== undefined && later.some((one) => clientOf(one) === clientOf(oldest))
}

const describeRequests = (requests: readonly Request[]) =>
  requests.map(({ by, what }) => `${by}: ${what}`).join(', ')

describe.each(['email', 'phone'] as const)('an address by %s', (kind) => {
  describe.each([
    ['two networks', false],
    ['one network', true],
  ] as const)('from %s', (_networks, isOneNetwork) => {
    it(`leaves the state of the rule after up to ${requestsAtMost} requests`, async () => {
      const broken: string[] = []
      for (const [index, requests] of sequences(kind).entries()) {
        for (const way of waysFor(kind, requests, index)) {
          const scene = await newScene(kind, isOneNetwork)
          for (const request of requests) await request.send(scene)
          const wrong = await brokenPromises(requests, isOneNetwork, scene, way)
          broken.push(
            ...wrong.map((one) => `[${describeRequests(requests)}; by the ${way}] ${one}`),
          )
        }
      }
      expect(broken).toEqual([])
    }, 900_000)
  })
})
