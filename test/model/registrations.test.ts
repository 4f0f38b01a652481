import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, type SentMessage, startMessagingAuth } from '../support/messages.ts'

// Who proved what: whatever a proof of an address leaves on the account was brought by whoever proves, or by
// the operator. Every order of up to three requests, each proved in every way, is played and held against the
// rule as `expectedAfter` says it.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

type Kind = 'email' | 'phone'
type Person = 'Ada' | 'Eve'

/** One request that somebody may make for Ada's address. */
interface Request {
  by: Person | 'operator'
  what: string
  /** Whether it asks for the address, and with which password. */
  claims?: 'password' | 'nothing'
  /**
   * Whether it makes the account an operator's, gives something to one that is there, or both. An account that comes
   * from elsewhere takes the place of one that is there, with all that was sent to it.
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

/** CI plays three (scripts/test-model.mjs). */
const requestsAtMost = Number(process.env.MATRIX_REQUESTS ?? 1)

/** Every sequence of requests, up to that length, in which somebody beside Eve asked. */
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

/** What the rule says is in force after the requests, should Ada prove the address. */
interface Expected {
  /** Whose password signs in. */
  password: Person | null
  /** Whose sign-up or request for a code gave the metadata; null where none may show. */
  name: Person | null
}

/**
 * The rule. Requests for an address that nobody has proved are of one person where they come from one network:
 * the latest counts, and only the confirmation of a sign-up keeps a password. Requests of different networks
 * compete unless they bring the same password: then nothing of any is kept. An operator's user gets nothing
 * from them, and takes the place of what they registered; an operator's gift competes with what was there.
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

/** Who an account that nobody has proved is of, by the requests so far. */
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

/** Short sequences are proved in every way, long ones in turn by one of them. */
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

/** Proves Ada's address by a message that she got; null where it is void by now. */
async function prove(scene: Scene, way: Evidence): Promise<'signed in' | 'void' | 'nothing sent'> {
  const messages: SentMessage[] = await auth.messagesTo(scene.address[scene.kind] ?? '')
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

/** What is wrong after a proof, in words; nothing when the rule holds. */
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
    // A later request of the same network replaced the message; one of another network may not.
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

/** Whether an operator's request takes effect: nobody else's account is in the way of it. */
const isEffective = (requests: readonly Request[], index: number): boolean =>
  !requests
    .slice(0, index)
    .some(({ by, gives }, at, before) =>
      by === 'operator' ? gives !== 'gift' || before.slice(0, at).some(isHolding) : false,
    )

/** An operator's gift is to whom it finds; an operator's user is made where no operator was before. */
const givesRole = (requests: readonly Request[]): boolean =>
  requests.some(({ what }, index) =>
    what === 'PUT /admin/users'
      ? requests.slice(0, index).some(isHolding)
      : (what === 'operator-made user' || what === 'import') && isEffective(requests, index),
  )

/** Whom an operator made has the metadata of then; an invitation gives them none. */
const givesTeam = (requests: readonly Request[]): boolean =>
  requests.some(
    ({ what }, index) =>
      what === 'invitation' &&
      !requests.slice(0, index).some(({ gives }) => gives && gives !== 'gift'),
  )

const isHolding = ({ claims, gives }: Request) =>
  claims !== undefined || (gives !== undefined && gives !== 'gift')

/** The requests that sent something, each with whether an import made it void by taking the place of the account. */
const messagesOf = (requests: readonly Request[]) => {
  const replaced = requests.findIndex(
    ({ what }, index) => what === 'import' && isEffective(requests, index),
  )
  return requests
    .map((request, index) => ({ request, index, isVoid: index < replaced }))
    .filter(({ index }) => requests.slice(0, index + 1).some(isHolding))
    .filter(({ request: { by, what } }) => by !== 'operator' || what === 'invitation')
}

/** Whether the client that caused the oldest message has asked again. */
function isReplaced(requests: readonly Request[], isOneNetwork: boolean): boolean {
  const clientOf = ({ by }: Request) => (isOneNetwork && by === 'Eve' ? 'Ada' : by)
  const [oldest, ...later] = messagesOf(requests).map(({ request }) => request)
  return oldest !== undefined && later.some((one) => clientOf(one) === clientOf(oldest))
}

const told = (requests: readonly Request[]) =>
  requests.map(({ by, what }) => `${by}: ${what}`).join(', ')

describe.each(['email', 'phone'] as const)('an address by %s', (kind) => {
  describe.each([
    ['two networks', false],
    ['one network', true],
  ] as const)('from %s', (_networks, isOneNetwork) => {
    it(`leaves what the rule says after up to ${requestsAtMost} requests`, async () => {
      const broken: string[] = []
      for (const [index, requests] of sequences(kind).entries()) {
        for (const way of waysFor(kind, requests, index)) {
          const scene = await newScene(kind, isOneNetwork)
          for (const request of requests) await request.send(scene)
          const wrong = await brokenPromises(requests, isOneNetwork, scene, way)
          broken.push(...wrong.map((one) => `[${told(requests)}; by the ${way}] ${one}`))
        }
      }
      expect(broken).toEqual([])
    }, 900_000)
  })
})
