import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFuzzWorld, type FuzzWorld, startFuzzedAuth } from './support/fuzz/fuzz-world.ts'
import { makeToken, sharedSecret } from './support/fuzz/token-maker.ts'
import type { TestAuth } from './support/test-auth.ts'

let auth: TestAuth
let world: FuzzWorld

beforeAll(async () => {
  auth = await startFuzzedAuth()
  world = await createFuzzWorld(auth, 'forged tokens')
  // The users of the tokens are operators.
  await auth.auth.admin.updateUser(world.userIds[0] ?? '', { role: 'service_role' })
})
afterAll(() => auth.close())

// T29: `none`, another algorithm, a foreign key, and tokens of another kind.
describe('a forged token', () => {
  it('would be accepted if it were genuine', async () => {
    const token = makeToken({}, world.material.claims, sharedSecret)

    const user = await auth.get('/user', { token })
    const admin = await auth.get(`/admin/users/${world.userIds[0]}`, { token })

    expect([user.status, admin.status]).toEqual([200, 200])
  })

  it('signs out no user (T38)', async () => {
    const sessions = () => auth.rows('select id from auth.sessions order by id')
    const before = await sessions()

    for (const scope of ['global', 'local', 'others']) {
      const answers = world.forged.map((token) =>
        auth.post(`/logout?scope=${scope}`, undefined, { token }),
      )
      await Promise.all(answers)
    }

    expect(before.length).toBeGreaterThan(0)
    expect(await sessions()).toEqual(before)
  })

  it('is rejected at every endpoint', async () => {
    const tokens = world.forged
    const entryPoints = (token: string) => [
      auth.get('/user', { token }),
      auth.put('/user', { data: { forged: true } }, { token }),
      auth.post('/logout', undefined, { token }),
      auth.post('/admin/users', { email: 'forged@example.test' }, { token }),
      auth.get(`/admin/users/${world.userIds[0]}`, { token }),
    ]

    const answers = await Promise.all(tokens.flatMap(entryPoints))

    expect(tokens.length).toBeGreaterThan(50)
    for (const { status, body } of answers) {
      expect([status, body.error_code]).toEqual([403, 'bad_jwt'])
    }
    expect(await auth.rows(`select 1 from auth.users where email = 'forged@example.test'`)).toEqual(
      [],
    )
  })

  it('is rejected in code, too', async () => {
    for (const token of world.forged) {
      const request = new Request('http://app.test', {
        headers: { authorization: `Bearer ${token}` },
      })

      await expect(auth.auth.verifyToken(token)).rejects.toMatchObject({ code: 'bad_jwt' })
      await expect(auth.auth.requireUser(request)).rejects.toMatchObject({ code: 'bad_jwt' })
    }
  })

  it('is rejected without parsing when it is huge', async () => {
    const token = makeToken({}, { ...world.material.claims, x: 'x'.repeat(40_000) }, sharedSecret)

    const answer = await auth.get('/user', { token })

    expect([answer.status, answer.body.error_code]).toEqual([403, 'bad_jwt'])
  })

  it('cannot be obtained from a refresh with an access token', async () => {
    const token = makeToken({}, world.material.claims, sharedSecret)

    const answer = await auth.post('/token?grant_type=refresh_token', { refresh_token: token })

    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
  })
})
