import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    redirects: { allowList: ['com.example.app://**'] },
    externalSignIn: { lifetimeSeconds: 400 },
  })
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `link-${++made}@example.test`
const target = 'https://app.example.test/cb?plan=pro'
const ask = (path: string, body: object) =>
  auth.post(`${path}?redirect_to=${encodeURIComponent(target)}`, body)

const newPkce = () => {
  const verifier = randomBytes(48).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, body: { code_challenge: challenge, code_challenge_method: 's256' } }
}
const exchange = (authCode: string | null | undefined, verifier: string) =>
  auth.post('/token?grant_type=pkce', { auth_code: authCode, code_verifier: verifier })

const requests: Record<string, (more?: object) => Promise<string>> = {
  signup: async (more) => {
    const email = newEmail()
    await ask('/signup', { email, password: testPassword, ...more })
    return email
  },
  magiclink: async (more) => {
    const { email } = await auth.given.user(newEmail())
    await ask('/otp', { email, ...more })
    return email ?? ''
  },
  recovery: async (more) => {
    const { email } = await auth.given.user(newEmail())
    await ask('/recover', { email, ...more })
    return email ?? ''
  },
}
const kinds = Object.keys(requests)
const sentFor = async (kind: string, more?: object) =>
  auth.messageTo((await requests[kind]?.(more)) ?? '')

const linkError = {
  error: 'access_denied',
  error_code: 'otp_expired',
  error_description: 'Email link is invalid or has expired',
}

describe.each(kinds)('the link of a mail for %s', (kind) => {
  it('ends in a session in the fragment, which is sent to no server', async () => {
    const message = await sentFor(kind)

    const { answer, url, fragment } = await auth.follow(message)

    const session = Object.fromEntries(fragment)
    expect([message.type, answer.status, answer.text]).toEqual([kind, 303, ''])
    expect(url?.href.split('#')[0]).toBe(target)
    expect(session).toMatchObject({ type: kind, token_type: 'bearer', sb: '', expires_in: '3600' })
    expect([...fragment.keys()]).toEqual([...fragment.keys()].toSorted())
    const user = await auth.get('/user', { token: session['access_token'] })
    expect(user.body.email).toBe(message.to)
    expect(user.body.last_sign_in_at).toBe(auth.clock.now().toISOString())
  })

  it('is valid once: after that it ends in an error', async () => {
    const message = await sentFor(kind)
    await auth.follow(message)

    const { answer, url, fragment } = await auth.follow(message)

    expect(answer.status).toBe(303)
    expect(url?.search).toBe('?plan=pro')
    expect(Object.fromEntries(fragment)).toEqual({ ...linkError, sb: '' })
  })

  it('is not consumed by a HEAD request', async () => {
    const message = await sentFor(kind)
    const look = await auth.request('HEAD', `/verify?token=${message.hash}&type=${kind}`)

    const { fragment } = await auth.follow(message)

    expect([look.status, look.headers.get('location')]).toEqual([200, null])
    expect(fragment.get('access_token')).toBeTruthy()
  })

  it('of a PKCE request ends in a code, which only its verifier can exchange', async () => {
    const { verifier, body } = newPkce()
    const message = await sentFor(kind, body)

    const { url } = await auth.follow(message)
    const signedInAt = async () =>
      (await auth.rows('select last_sign_in_at from auth.users where email = $1', [message.to]))[0]
    const before = await signedInAt()
    const code = url?.searchParams.get('code')
    const wrong = await exchange(code, newPkce().verifier)
    const right = await exchange(code, verifier)
    const again = await exchange(code, verifier)

    expect(message.hash).toMatch(/^pkce_[0-9a-f]{56}$/)
    expect([url?.hash, url?.searchParams.get('plan')]).toEqual(['', 'pro'])
    expect(before).toEqual({ last_sign_in_at: null })
    expect([wrong.status, wrong.body.error_code]).toEqual([400, 'bad_code_verifier'])
    expect([right.status, right.body.user.email]).toEqual([200, message.to])
    expect([again.status, again.body.error_code]).toEqual([404, 'flow_state_not_found'])
    expect(await signedInAt()).not.toEqual(before)
  })

  it('of a PKCE request returns errors in the query, too', async () => {
    const message = await sentFor(kind, newPkce().body)
    await auth.follow(message)

    const { url, fragment } = await auth.follow(message)

    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({ ...linkError, plan: 'pro' })
    expect(Object.fromEntries(fragment)).toEqual({ ...linkError, sb: '' })
  })

  it('of a PKCE request signs in at once where its secret is posted', async () => {
    const { hash } = await sentFor(kind, newPkce().body)

    const { status, body } = await auth.post('/verify', { type: kind, token_hash: hash })

    expect([status, typeof body.access_token]).toEqual([200, 'string'])
  })
})

describe('a link', () => {
  it('without type or token is an error without a redirect', async () => {
    const answers = [
      await auth.get('/verify?token=x'),
      await auth.get('/verify?type=signup'),
      await auth.get('/verify'),
    ]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual(
      answers.map(() => [400, 'validation_failed']),
    )
  })

  it.each(['token', 'type', 'redirect_to'])('T24: with a repeated %s is rejected', async (name) => {
    const { hash, to } = await sentFor('magiclink')
    const query = `token=${hash}&type=magiclink&redirect_to=${encodeURIComponent(target)}`
    const twice = query.match(new RegExp(`${name}=[^&]*`))?.[0]

    const answers = [
      await auth.get(`/verify?${query}&${twice}`),
      await auth.get(`/verify?${name}=other&${query}`),
    ]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [400, 'validation_failed'],
      [400, 'validation_failed'],
    ])
    expect(answers[0]?.body.msg).toContain(`${name}: `)
    expect((await auth.follow({ ...(await auth.messageTo(to)) })).fragment.has('error')).toBe(false)
  })

  it.each([
    'javascript:alert(1)//https://app.example.test',
    'data:text/html,x',
    '//evil.test',
    'https://evil.test',
    'https://app.example.test@evil.test',
  ])(
    'T25: leads to the site rather than to %s, requested with the message or in the link',
    async (evil) => {
      const { email } = await auth.given.user(newEmail())
      await auth.post(`/magiclink?redirect_to=${encodeURIComponent(evil)}`, { email })
      const message = await auth.messageTo(email ?? '')

      const { url } = await auth.follow({ ...message, redirectTo: evil })

      expect(message.redirectTo).toBe('https://app.example.test')
      expect(url?.href.split('#')[0]).toBe('https://app.example.test/')
    },
  )

  it('leads into an app, whose URL is only a string here', async () => {
    const { verifier, body } = newPkce()
    const { email } = await auth.given.user(newEmail())
    const app = 'com.example.app://cb?a=1#there'
    await auth.post(`/magiclink?redirect_to=${encodeURIComponent(app)}`, { email, ...body })

    const { answer } = await auth.follow(await auth.messageTo(email ?? ''))

    const [, code] =
      /^com\.example\.app:\/\/cb\?a=1&code=([^&#]+)#there$/.exec(
        answer.headers.get('location') ?? '',
      ) ?? []
    expect((await exchange(code, verifier)).status).toBe(200)
  })

  it('reports that the user is banned', async () => {
    const message = await sentFor('magiclink')
    const [user] = await auth.rows('select id from auth.users where email = $1', [message.to])
    await auth.auth.admin.updateUser(String(user?.['id']), { banDuration: '1h' })

    const { fragment } = await auth.follow(message)

    expect(fragment.get('error_code')).toBe('user_banned')
  })
})

describe('the code of a followed PKCE link', () => {
  const newCode = async () => {
    const { verifier, body } = newPkce()
    const message = await sentFor('magiclink', body)
    const { url } = await auth.follow(message)
    const [user] = await auth.rows<{ id: string }>('select id from auth.users where email = $1', [
      message.to,
    ])
    return { code: url?.searchParams.get('code'), verifier, userId: user?.id ?? '' }
  }
  const summary = async ({
    code,
    verifier,
  }: {
    code: string | null | undefined
    verifier: string
  }) => {
    const { status, body } = await exchange(code, verifier)
    return [status, body.error_code]
  }

  it('expires after the configured lifetime, counted from the click on the link', async () => {
    const [early, late] = [await newCode(), await newCode()]
    auth.clock.advance(399)
    const inTime = await summary(early)
    auth.clock.advance(1)

    expect([inTime, await summary(late)]).toEqual([
      [200, undefined],
      [422, 'flow_state_expired'],
    ])
  })

  it('is rejected for a user who was banned since', async () => {
    const one = await newCode()
    await auth.auth.admin.updateUser(one.userId, { banDuration: '1h' })

    expect(await summary(one)).toEqual([403, 'user_banned'])
  })

  it('T41: is revoked with the password that was valid when it was issued', async () => {
    const [one, other] = [await newCode(), await newCode()]
    const { session } = await auth.auth.api.signInWithPassword({
      email: (await auth.auth.admin.getUser(other.userId)).email ?? '',
      password: testPassword,
    })
    await auth.auth.admin.updateUser(one.userId, { password: 'a brand new password' })
    await auth.put('/user', { password: 'a brand new password' }, { token: session.accessToken })

    expect([await summary(one), await summary(other)]).toEqual([
      [404, 'flow_state_not_found'],
      [404, 'flow_state_not_found'],
    ])
  })

  it('creates a session that contains its method, and is recorded', async () => {
    const { code, verifier, userId } = await newCode()

    const { body } = await exchange(code, verifier)

    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    const entries = await auth.rows(
      `select traits from auth.audit_entries where actor_id = $1 and action = 1 and traits is not null`,
      [userId],
    )
    expect(claims.amr).toEqual([expect.objectContaining({ method: 'magiclink' })])
    expect(entries).toEqual([{ traits: { provider_type: 'magiclink' } }])
  })

  it.each([
    [{}, 'auth_code: '],
    [{ auth_code: 'x' }, 'code_verifier: '],
    [{ code_verifier: 'x' }, 'auth_code: '],
    [{ auth_code: '', code_verifier: 'x' }, 'auth_code: '],
  ])('is not exchanged by %j', async (body, field) => {
    const answer = await auth.post('/token?grant_type=pkce', body)

    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toContain(field)
  })
})
