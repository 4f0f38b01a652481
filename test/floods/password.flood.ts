import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, startTestAuth, type TestAuth, testPassword } from '../support/test-auth.ts'

const config = {
  /** The default cost of hashes, so that a flood fills the queue. */
  passwords: { argon2: { memoryKib: 19_456, iterations: 2, parallelism: 1 } },
  /**
   * The queue for hashes rejects clients; a busy machine needs more time per request without a
   * flood, too.
   */
  server: { requestTimeoutSeconds: 60 },
}

/** The common address of all clients where a proxy is not declared. */
const proxy = '10.0.0.1'

let auth: TestAuth
afterEach(() => auth.close())

const signIn = (email: string, password: string, ip: string) =>
  auth.post('/token?grant_type=password', { email, password }, { ip })

const statuses = async (answers: Promise<Answer>[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

async function givenUsers(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, index) => `honest${index}@example.test`)
  for (const email of emails) await auth.given.user(email)
  return emails
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('H22: wrong passwords for 400 unknown addresses at once', () => {
  const flood = (ip: (index: number) => string) =>
    times(400, (index) => signIn(`nobody${index}@example.test`, 'wrong', ip(index)))

  it('do not prevent sign-ins from networks of earlier sign-ins, where clients are indistinguishable', async () => {
    auth = await startTestAuth(config)
    const emails = await givenUsers(14)
    for (const email of emails) await signIn(email, testPassword, proxy)

    const attack = flood(() => proxy)
    const honest = emails.map((email) => signIn(email, testPassword, proxy))

    expect(await statuses(honest)).toEqual({ 200: 14 })
    await Promise.all(attack)
  })

  it('from one client do not prevent sign-ins of other clients, wherever they signed in before', async () => {
    auth = await startTestAuth(config)
    const emails = await givenUsers(14)

    const attack = flood(() => '198.51.100.66')
    const honest = emails.map((email, at) => signIn(email, testPassword, `203.0.113.${at + 1}`))

    expect(await statuses(honest)).toEqual({ 200: 14 })
    await Promise.all(attack)
  })
})

/** The network of an attacker, and an address in one of its subnets. */
const networks: [name: string, address: (index: number) => string][] = [
  ['the 65,536 networks of a /48', (index) => `2001:db8:bad:${(index * 80).toString(16)}::1`],
  ['the addresses of a /24', (index) => `198.51.100.${index % 256}`],
]

it.each(networks)(
  'S16: wrong passwords from %s do not prevent sign-ins from new networks',
  async (name, address) => {
    auth = await startTestAuth(config)
    const emails = await givenUsers(10)

    const attack = times(800, (index) =>
      signIn(`nobody${index}@example.test`, 'wrong', address(index)),
    )
    const honest = emails.map((email, at) => signIn(email, testPassword, `203.0.${at}.7`))

    const outcome = await statuses(honest)
    console.info(`${name}: ${JSON.stringify(outcome)} of the sign-ins from new places`)
    expect(outcome).toEqual({ 200: 10 })
    await Promise.all(attack)
  },
)

it('H22: wrong passwords for one address do not prevent sign-ins with other addresses', async () => {
  auth = await startTestAuth(config)
  const emails = await givenUsers(14)

  // Each address has 50 free attempts: three addresses have more attempts than the queue accepts.
  const attack = times(150, (at) => signIn(`nobody${at % 3}@example.test`, 'wrong', proxy))
  const honest = emails.map((email) => signIn(email, testPassword, proxy))

  expect(await statuses(honest)).toEqual({ 200: 14 })
  await Promise.all(attack)
})
