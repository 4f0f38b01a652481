import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../test/support/test-auth.ts'
import { createEndpoints, serviceOf } from './create-app.ts'

let auth: TestAuth
let mounted: TestAuth

beforeAll(async () => {
  ;[auth, mounted] = await Promise.all([startTestAuth(), startTestAuth({ basePath: '/auth' })])
})
afterAll(() => Promise.all([auth.close(), mounted.close()]))

/** Paths that require a token. */
const guarded = ['/user', '/logout', '/admin/users']

describe('a path', () => {
  it.each([
    '/',
    '/nowhere',
    '/users',
    '/admin',
    '/health/live',
    '/*',
    '/:x',
    '/__proto__',
    '/token/x',
  ])('that is not an endpoint is not found: %s', async (path) => {
    const answers = await Promise.all([auth.get(path), auth.post(path, {})])

    for (const { status, body } of answers) {
      expect([status, body.error_code]).toEqual([404, 'not_found'])
      expect(body.msg).not.toContain(path.slice(1) || 'http')
    }
  })

  // T21: another spelling must not bypass the guards of the first.
  it.each([
    '//P',
    '///P',
    '/.//P',
    '/%2fP',
    '/%2FP',
    '/x//P',
    '/P;x',
    '/P%00',
    '/P%20',
    '/P%zz',
    '/P%',
    '/P.json',
    '/P%3b',
    '/P%2f',
    '/P//',
  ])('spelled like %s is not found', async (spelling) => {
    for (const path of guarded) {
      const answer = await auth.get(spelling.replace('P', path.slice(1)))

      expect([answer.status, answer.body.error_code]).toEqual([404, 'not_found'])
    }
  })

  it.each(['/./P', '/x/../P', '/%2e/P', '/%2e%2e/P', '/../../P', '/P/', '/P/.', '/P?', '/P#x'])(
    'spelled like %s is the path itself, with its guards',
    async (spelling) => {
      for (const path of guarded) {
        const plain = await auth.put(path, {})
        const spelled = await auth.put(spelling.replace('P', path.slice(1)), {})

        expect([spelled.status, spelled.body.error_code]).toEqual([
          plain.status,
          plain.body.error_code,
        ])
        expect([401, 405]).toContain(spelled.status)
      }
    },
  )

  it('is distinguished from one in capitals, which is not found', async () => {
    for (const path of guarded) {
      expect((await auth.get(path.toUpperCase())).status).toBe(404)
    }
  })

  it('with an escaped letter is the path itself', async () => {
    const answer = await auth.get('/%75ser')

    expect(answer.status).toBe(401)
  })

  it('with an id requires a token, for any spelling of the id', async () => {
    for (const id of ['0', '0;x', '0%00', '0%zz', '0%2f', '%2e%2e%2fusers', '0.json', '0/']) {
      const answer = await auth.get(`/admin/users/${id}`)

      expect([answer.status, answer.body.error_code]).toEqual([401, 'no_authorization'])
    }
  })

  it('contains an id as submitted, and no escape changes the path', async () => {
    const token = await auth.given.serviceToken()

    for (const id of ['..%2f..%2fsettings', '%2e%2e%2fsettings', '%00', "'%20or%201=1", 'a%zz']) {
      const answer = await auth.get(`/admin/users/${id}`, { token })

      expect([answer.status, answer.body.error_code]).toEqual([404, 'validation_failed'])
    }
  })
})

describe('below a base path', () => {
  it('lives every route but the documents at the root', async () => {
    const routes = createEndpoints(serviceOf(await mounted.deps()))['~routes'].map(
      ({ route }) => route,
    )

    expect([...new Set(routes.filter((route) => !route?.startsWith('/auth/')))]).toEqual([
      '/.well-known/openid-configuration/auth',
      '/.well-known/oauth-authorization-server/auth',
      '/.well-known/oauth-protected-resource/auth',
      '/**',
    ])
  })

  it('routes work', async () => {
    const body = { email: 'below@example.test', password: 'correct horse' }

    const signUp = await mounted.post('/auth/signup', body)
    const user = await mounted.get('/auth/user', { token: signUp.body.access_token })
    const wrong = await mounted.request('DELETE', '/auth/user')

    expect([signUp.status, user.body.email, wrong.status]).toEqual([200, body.email, 405])
  })

  it.each([
    '/signup',
    '/health',
    '/auth',
    '/authsignup',
    '/auth//signup',
    '//auth/signup',
    '/auth/auth/signup',
  ])('does not find %s', async (path) => {
    const answer = await mounted.post(path, {})

    expect([answer.status, answer.body.error_code]).toEqual([404, 'not_found'])
  })
})

describe('a service that is mounted at another path than basePath', () => {
  const hintsIn = ({ log }: TestAuth) =>
    log.filter(({ level, message }) => level === 'warn' && message.includes('basePath'))

  it.each([
    ['/auth', '/api/auth/token'],
    ['/auth', '/token'],
    ['', '/auth/token'],
  ])('H35: warns once: basePath %j, requested at %s', async (basePath, path) => {
    const elsewhere = await startTestAuth({ basePath })

    await elsewhere.get(`${basePath}/nothing-of-ours`)
    expect(hintsIn(elsewhere)).toEqual([])
    const answers = [await elsewhere.post(path, {}), await elsewhere.post(path, {})]
    const hints = hintsIn(elsewhere)
    await elsewhere.close()

    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect(hints).toMatchObject([{ fields: { basePath } }])
  })
})
