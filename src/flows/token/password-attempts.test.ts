import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const attacker = '198.51.100.66'
const home = '203.0.113.7'

const signIn = (email: string, password: string, ip: string) =>
  auth.post('/token?grant_type=password', { email, password }, { ip })

const codes = (answers: { body: { error_code?: string } }[]) => {
  const counts: Record<string, number> = {}
  for (const { body } of answers) {
    const code = body.error_code ?? 'signed in'
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

const attack = (email: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => signIn(email, 'wrong', attacker)))

it('T07: compares 50 of 200 parallel wrong passwords, and makes the others wait', async () => {
  const { email } = await auth.given.user()

  const answers = await attack(email ?? '', 200)

  expect(codes(answers)).toEqual({ invalid_credentials: 50, over_request_rate_limit: 150 })
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1')
})

it('treats an unknown address just the same', async () => {
  const answers = await attack('nobody@example.test', 60)

  expect(codes(answers)).toEqual({ invalid_credentials: 50, over_request_rate_limit: 10 })
})

it('lets one more through after each wait, which doubles up to 15 minutes', async () => {
  const { email = '' } = await auth.given.user()
  await attack(email ?? '', 50)
  const waits: number[] = []
  for (let failure = 0; failure < 12; failure += 1) {
    const refused = await signIn(email ?? '', 'wrong', attacker)
    waits.push(Number(refused.headers.get('retry-after')))
    auth.clock.advance(waits.at(-1) ?? 0)
    expect((await signIn(email ?? '', 'wrong', attacker)).status).toBe(400)
  }

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
})

it('does not lock the owner out at a place of an earlier sign-in', async () => {
  const { email = '' } = await auth.given.user()
  await signIn(email ?? '', testPassword, home)
  await attack(email ?? '', 80)

  const stranger = await signIn(email ?? '', testPassword, '192.0.2.1')
  const owner = await signIn(email ?? '', testPassword, home)

  expect(stranger.body.error_code).toBe('over_request_rate_limit')
  expect(owner.status).toBe(200)
})

it('begins anew after a right password', async () => {
  const { email = '' } = await auth.given.user()
  await attack(email ?? '', 40)
  await signIn(email ?? '', testPassword, attacker)

  const answers = await attack(email ?? '', 50)

  expect(codes(answers)).toEqual({ invalid_credentials: 50 })
})

it('does not make anybody wait because the clock of another instance is ahead', async () => {
  const { email } = await auth.given.user()
  await signIn(email ?? '', 'wrong', attacker)
  auth.clock.advance(-3)

  const answer = await signIn(email ?? '', 'wrong', attacker)

  expect(answer.body.error_code).toBe('invalid_credentials')
})
