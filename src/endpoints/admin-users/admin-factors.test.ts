import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Aal2Session,
  type SecondFactors,
  secondFactors,
} from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let factors: SecondFactors
let token: string
let sentCode = ''

beforeAll(async () => {
  auth = await startTestAuth({
    mfa: { phone: { enrollEnabled: true, verifyEnabled: true } },
    sms: {
      send: ({ code }) => {
        sentCode = code
      },
    },
  })
  factors = secondFactors(auth)
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const pathTo = ({ user, app }: Aal2Session) => `/admin/users/${user.id}/factors/${app.id}`

describe('GET /admin/users/{user_id}/factors', () => {
  it('lists the factors of a user', async () => {
    const none = await auth.given.user()
    const { user, app, accessToken } = await factors.aal2Session()
    const { body: phone } = await factors.enroll(accessToken, {
      factor_type: 'phone',
      phone: '+15005550001',
      friendly_name: 'phone',
    })

    const empty = await auth.get(`/admin/users/${none.id}/factors`, { token })
    const both = await auth.get(`/admin/users/${user.id}/factors`, { token })

    expect([empty.status, empty.body]).toEqual([200, []])
    expect(both.body).toMatchObject([
      { id: app.id, factor_type: 'totp', status: 'verified', phone: '' },
      { id: phone.id, factor_type: 'phone', status: 'unverified', phone: '15005550001' },
    ])
    expect(both.text).not.toContain(app.secret)
    const inCode = await auth.auth.admin.listFactors(user.id)
    expect(inCode.map(({ id }) => id)).toEqual([app.id, phone.id])
  })

  it('rejects unknown users', async () => {
    const unknownId = '7f3a3f0c-0000-4000-8000-000000000000'

    const answers = [
      await auth.get('/admin/users/nonsense/factors', { token }),
      await auth.get(`/admin/users/${unknownId}/factors`, { token }),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [404, 'validation_failed'],
      [404, 'user_not_found'],
    ])
  })
})

describe('PUT /admin/users/{user_id}/factors/{factor_id}', () => {
  it('renames a factor, and changes the number of a phone', async () => {
    const strong = await factors.aal2Session()
    const { body: enrolled } = await factors.enroll(strong.accessToken, {
      factor_type: 'phone',
      phone: '+15005550002',
      friendly_name: 'phone',
    })
    const phonePath = pathTo({ ...strong, app: { id: enrolled.id, secret: '' } })

    const renamed = await auth.put(
      pathTo(strong),
      { friendly_name: 'renamed', phone: '+15005550009' },
      { token },
    )
    auth.clock.advance(1)
    const moved = await auth.put(phonePath, { phone: '+1 500 555 0003' }, { token })

    expect(renamed.body).toMatchObject({ friendly_name: 'renamed', phone: '', status: 'verified' })
    expect(moved.body).toMatchObject({ friendly_name: 'phone', phone: '15005550003' })
    const { entries } = await auth.auth.admin.listAudit({ query: 'type:factor', limit: 1 })
    expect(entries).toMatchObject([{ action: 'factor_updated', traits: { changed: ['phone'] } }])
    const { body } = await auth.get(`/admin/users/${strong.user.id}/factors`, { token })
    expect(body).toEqual([renamed.body, moved.body])
  })

  it('revokes the codes sent to the former number', async () => {
    const strong = await factors.aal2Session()
    const { body: enrolled } = await factors.enroll(strong.accessToken, {
      factor_type: 'phone',
      phone: '+15005550005',
      friendly_name: 'phone',
    })
    const app = { id: enrolled.id, secret: '' }
    const challenge = await factors.challenge(strong.accessToken, app.id)
    const appChallenge = await factors.challenge(strong.accessToken, strong.app.id)

    await auth.put(pathTo({ ...strong, app }), { phone: '+15005550006' }, { token })
    await auth.put(pathTo(strong), { friendly_name: 'renamed' }, { token })

    const answer = await factors.answer(strong.accessToken, app.id, challenge, '123456')
    expect(statusAndCode(answer)).toEqual([422, 'mfa_factor_not_found'])
    const left = await auth.rows('select id from auth.challenges where id = $1', [appChallenge])
    expect(left).toHaveLength(1)
  })

  it('rejects names of other factors, and invalid numbers', async () => {
    const strong = await factors.aal2Session()
    await factors.enrolledApp(strong.accessToken, 'taken')
    const { body: enrolled } = await factors.enroll(strong.accessToken, {
      factor_type: 'phone',
      phone: '+15005550004',
      friendly_name: 'phone',
    })
    const phonePath = pathTo({ ...strong, app: { id: enrolled.id, secret: '' } })

    const answers = [
      await auth.put(pathTo(strong), { friendly_name: 'taken' }, { token }),
      await auth.put(phonePath, { phone: 'nonsense' }, { token }),
      await auth.put(pathTo(strong), {}, { token }),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'mfa_factor_name_conflict'],
      [400, 'validation_failed'],
      [200, undefined],
    ])
  })
})

describe('DELETE /admin/users/{user_id}/factors/{factor_id}', () => {
  it('removes a lost factor, and keeps the sessions at aal1', async () => {
    const strong = await factors.aal2Session()

    const { status, body } = await auth.request('DELETE', pathTo(strong), { token })

    expect([status, body]).toMatchObject([200, { id: strong.app.id, status: 'verified' }])
    const { session } = await auth.auth.api.refreshSession({ refreshToken: strong.refreshToken })
    expect(await auth.auth.verifyToken(session.accessToken)).toMatchObject({ aal: 'aal1' })
    expect((await auth.request('DELETE', pathTo(strong), { token })).body.error_code).toBe(
      'mfa_factor_not_found',
    )
  })

  it('finds only the factors of this user', async () => {
    const [one, other] = [await factors.aal2Session(), await factors.aal2Session()]

    const answer = await auth.request('DELETE', pathTo({ ...one, app: other.app }), { token })

    expect(statusAndCode(answer)).toEqual([404, 'mfa_factor_not_found'])
    expect(await auth.auth.admin.listFactors(other.user.id)).toHaveLength(1)
  })

  it('is recorded, like changes', async () => {
    const strong = await factors.aal2Session()
    await auth.put(pathTo(strong), { friendly_name: 'renamed' }, { token })
    auth.clock.advance(1)
    await auth.auth.admin.deleteFactor(strong.user.id, strong.app.id)

    const { entries } = await auth.auth.admin.listAudit({ query: 'type:factor', limit: 2 })

    const userId = strong.user.id
    const traits = { factor_id: strong.app.id }
    const changed = ['friendly_name']
    expect(entries).toMatchObject([
      { action: 'factor_deleted', actorRole: 'host', userId, traits },
      {
        action: 'factor_updated',
        actorRole: 'service_role',
        userId,
        traits: { ...traits, changed },
      },
    ])
  })
})

it('does not list the factors of a soft-deleted user', async () => {
  const { user } = await factors.aal2Session()

  await auth.auth.admin.deleteUser(user.id, { soft: true })

  expect(await auth.auth.admin.listFactors(user.id)).toEqual([])
})

describe('concurrent changes', () => {
  /** Runs a function just before the next statement of this name. */
  async function justBefore(name: string, act: () => Promise<unknown>): Promise<void> {
    const { database } = await auth.deps()
    const { query } = database.sql
    database.sql.query = async (statement, values) => {
      if (statement.name === name) {
        database.sql.query = query
        await act()
      }
      return query(statement, values)
    }
  }

  const phoneOf = async (session: Aal2Session) => {
    const { body } = await factors.enroll(session.accessToken, {
      factor_type: 'phone',
      phone: '+15005550002',
      friendly_name: 'phone',
    })
    return `/admin/users/${session.user.id}/factors/${body.id}`
  }

  it('of name and number are both stored', async () => {
    const session = await factors.aal2Session()
    const path = await phoneOf(session)
    await justBefore('update_factor', () => auth.put(path, { phone: '+15005550003' }, { token }))

    await auth.put(path, { friendly_name: 'renamed' }, { token })

    const listed = await auth.auth.admin.listFactors(session.user.id)
    expect(listed.at(-1)).toMatchObject({ friendlyName: 'renamed', phone: '15005550003' })
  })

  it('revoke codes that were sent to the former number', async () => {
    const session = await factors.aal2Session()
    const path = await phoneOf(session)
    const factorId = path.split('/').at(-1) ?? ''
    await justBefore('store_challenge', () => auth.put(path, { phone: '+15005550004' }, { token }))

    const challengeId = await factors.challenge(session.accessToken, factorId)
    await (await auth.deps()).outbox.settled()
    const answer = await factors.answer(session.accessToken, factorId, challengeId, sentCode)

    expect(sentCode).toMatch(/^\d{6}$/)
    expect(statusAndCode(answer)).toEqual([422, 'mfa_verification_failed'])
  })

  it('that are too long for an index are rejected, by name', async () => {
    const session = await factors.aal2Session()

    const answer = await auth.put(pathTo(session), { friendly_name: 'ä'.repeat(200) }, { token })

    expect(statusAndCode(answer)).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toContain('friendly_name')
  })
})
