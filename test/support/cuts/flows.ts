import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createAuthenticator } from '../authenticator.ts'
import { type FakeRealm, openBrowser } from '../fake-realm.ts'
import type { MessagingAuth } from '../messages.ts'
import { callback, oauthOf, verifier } from '../oauth-clients.ts'
import { passkeysOf } from '../passkeys.ts'
import { secondFactors } from '../second-factors.ts'
import { type Answer, type TestAuth, testPassword } from '../test-auth.ts'

type Send = TestAuth['request']

/** A request of a user, with the state that it needs and the effect that it must have. */
export interface Flow<State> {
  /** Prepares the state on a connection that is not cut. */
  given(): Promise<State>
  send(request: Send, state: State): Promise<Answer>
  success: number
  /**
   * Statuses of a repeated request beside that of a success: the first request was committed, and
   * its response was lost.
   */
  repeated?: readonly number[]
  /**
   * Throws unless the effect of the request is stored.
   *
   * @param answer the successful response; null where the repeated request reported that the first
   *   one was committed.
   */
  check(state: State, answer: Answer | null): Promise<void>
}

export type AnyFlow = Flow<unknown>

function require(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new Error(problem)
}

const newEmail = () => `cut-${randomUUID()}@example.test`
const newPhone = () => `49152${String(100_000_000 + Math.floor(Math.random() * 899_999_999))}`
const password = testPassword

/** Returns the flows by name. */
export function flowsOf(auth: MessagingAuth, realm: FakeRealm): Record<string, AnyFlow> {
  const flow = <State>(one: Flow<State>): AnyFlow => one as AnyFlow
  const factors = secondFactors(auth)
  const oauth = oauthOf(auth)
  const passkeys = passkeysOf(auth)
  const token = () => auth.given.serviceToken()

  const one = async <Row = Record<string, unknown>>(text: string, ...values: unknown[]) =>
    (await auth.rows<Row>(text, values))[0]
  const count = async (from: string, ...values: unknown[]) =>
    Number((await one<{ count: string }>(`select count(*) from auth.${from}`, ...values))?.count)

  const refreshWith = (send: Send, refreshToken: string) =>
    send('POST', '/token?grant_type=refresh_token', { body: { refresh_token: refreshToken } })
  /** Both tokens of a response are valid. */
  const requireSession = async (tokens: { access_token: string; refresh_token: string }) => {
    const { status } = await auth.get('/user', { token: tokens.access_token })
    require(status === 200, `GET /user with the new token: ${status}`)
    const refreshed = await refreshWith(auth.request, tokens.refresh_token)
    require(refreshed.status === 200, `the new refresh token: ${refreshed.text}`)
  }
  const requirePassword = async (email: string, by = password) => {
    const { status, text } = await auth.post('/token?grant_type=password', { email, password: by })
    require(status === 200, `sign-in afterwards: ${text}`)
  }
  /** The token of the address is stored, and its message. */
  const requireMessage = async (address: string, purpose: string) => {
    const tokens = await count(
      'one_time_tokens where sent_to = $1 and purpose = $2',
      address,
      purpose,
    )
    require(tokens === 1, `${tokens} tokens for the address`)
    const messages = await count('outbox_messages where recipient = $1', address)
    require(messages >= 1, 'a token without its message')
  }
  const newSession = () => auth.given.session(newEmail())
  const unconfirmed = async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password })
    return { email, ...(await auth.messageTo(email)) }
  }
  const isConfirmed = async (email: string) => {
    const sql = 'users where email = $1 and email_confirmed_at is not null'
    require((await count(sql, email)) === 1, 'the address is not confirmed')
  }
  const sessionsOf = (email: string) =>
    count('sessions s join auth.users u on u.id = s.user_id where u.email = $1', email)

  return {
    'sign-up': flow({
      given: async () => ({ email: newEmail() }),
      send: (send, { email }) => send('POST', '/signup', { body: { email, password } }),
      success: 200,
      check: ({ email }) => requireMessage(email, 'confirmation'),
    }),
    'confirmation by a code': flow({
      given: unconfirmed,
      send: (send, { email, code }) =>
        send('POST', '/verify', { body: { type: 'signup', email, token: code } }),
      success: 200,
      repeated: [403],
      check: async ({ email }, answer) => {
        await isConfirmed(email)
        require((await sessionsOf(email)) >= 1, 'confirmed without a session')
        await requirePassword(email)
        if (answer) await requireSession(answer.body)
      },
    }),
    'confirmation by a link': flow({
      given: unconfirmed,
      send: (send, { hash }) =>
        send('GET', `/verify?${new URLSearchParams({ token: hash, type: 'signup' })}`),
      success: 303,
      check: async ({ email }) => {
        await isConfirmed(email)
        require((await sessionsOf(email)) >= 1, 'confirmed without a session')
      },
    }),
    'sign-in': flow({
      given: async () => ({ email: (await auth.given.user(newEmail())).email ?? '' }),
      send: (send, { email }) =>
        send('POST', '/token?grant_type=password', { body: { email, password } }),
      success: 200,
      check: async (_, answer) => requireSession(answer?.body),
    }),
    'anonymous sign-in': flow({
      given: async () => null,
      send: (send) => send('POST', '/signup', { body: {} }),
      success: 200,
      check: async (_, answer) => requireSession(answer?.body),
    }),
    refresh: flow({
      given: newSession,
      send: (send, { refreshToken }) => refreshWith(send, refreshToken),
      success: 200,
      check: async ({ refreshToken }, answer) => {
        // A client whose response was lost on its way repeats the request.
        const repeated = await refreshWith(auth.request, refreshToken)
        require(repeated.body.refresh_token ===
          answer?.body.refresh_token, `a repeated refresh: ${repeated.text}`)
        await requireSession(answer?.body)
      },
    }),
    'GET /user': flow({
      given: newSession,
      send: (send, { accessToken }) => send('GET', '/user', { token: accessToken }),
      success: 200,
      check: async () => {},
    }),
    'changed metadata': flow({
      given: newSession,
      send: (send, { accessToken }) =>
        send('PUT', '/user', { token: accessToken, body: { data: { is: 'stored' } } }),
      success: 200,
      check: async ({ accessToken }) => {
        const { body } = await auth.get('/user', { token: accessToken })
        require(body.user_metadata.is === 'stored', 'the metadata is not stored')
      },
    }),
    'changed password': flow({
      given: newSession,
      send: (send, { accessToken }) =>
        send('PUT', '/user', { token: accessToken, body: { password: 'another good password' } }),
      success: 200,
      repeated: [422],
      check: ({ user }) => requirePassword(user.email ?? '', 'another good password'),
    }),
    'changed address': flow({
      given: async () => ({ ...(await newSession()), email: newEmail() }),
      send: (send, { accessToken, email }) =>
        send('PUT', '/user', { token: accessToken, body: { email } }),
      success: 200,
      check: ({ email }) => requireMessage(email, 'email_change_new'),
    }),
    recovery: flow({
      given: async () => ({ email: (await auth.given.user(newEmail())).email ?? '' }),
      send: (send, { email }) => send('POST', '/recover', { body: { email } }),
      success: 200,
      check: ({ email }) => requireMessage(email, 'recovery'),
    }),
    'recovery of an unknown address': flow({
      given: async () => ({ email: newEmail() }),
      send: (send, { email }) => send('POST', '/recover', { body: { email } }),
      success: 200,
      check: async ({ email }) =>
        require((await count('users where email = $1', email)) === 0, 'a user was created'),
    }),
    'a code by mail': flow({
      given: async () => ({ email: newEmail() }),
      send: (send, { email }) => send('POST', '/otp', { body: { email } }),
      success: 200,
      check: ({ email }) => requireMessage(email, 'confirmation'),
    }),
    'a code by SMS': flow({
      given: async () => ({ phone: newPhone() }),
      send: (send, { phone }) => send('POST', '/otp', { body: { phone } }),
      success: 200,
      check: ({ phone }) => requireMessage(phone, 'confirmation'),
    }),
    'sign-in by a code': flow({
      given: async () => {
        const email = (await auth.given.user(newEmail())).email ?? ''
        await auth.post('/otp', { email })
        return auth.messageTo(email)
      },
      send: (send, { to, code }) =>
        send('POST', '/verify', { body: { type: 'email', email: to, token: code } }),
      success: 200,
      repeated: [403],
      check: async ({ to }, answer) => {
        require((await sessionsOf(to)) >= 1, 'the code is consumed without a session')
        if (answer) await requireSession(answer.body)
      },
    }),
    'exchange of a PKCE code': flow({
      given: async () => {
        const verifier = randomBytes(48).toString('base64url')
        const email = (await auth.given.user(newEmail())).email ?? ''
        await auth.post('/otp', {
          email,
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 's256',
        })
        const { url } = await auth.follow(await auth.messageTo(email))
        return { email, verifier, code: url?.searchParams.get('code') }
      },
      send: (send, { code, verifier }) =>
        send('POST', '/token?grant_type=pkce', {
          body: { auth_code: code, code_verifier: verifier },
        }),
      success: 200,
      repeated: [404],
      check: async ({ email }, answer) => {
        require((await sessionsOf(email)) >= 1, 'the code is consumed without a session')
        if (answer) await requireSession(answer.body)
      },
    }),
    'callback of a provider': flow({
      given: async () => {
        const email = newEmail()
        const person = { sub: randomUUID(), email, email_verified: true }
        // The browser keeps its cookies, and its request is the one that is cut.
        let send: Send = auth.request
        const browser = openBrowser({ request: (...requested) => send(...requested) })
        const { state } = await browser.authorize()
        const sendCallback = async (by: Send) => {
          send = by
          const result = await browser.get(
            `/callback/keycloak?${new URLSearchParams({ state, code: realm.codeFor(person) })}`,
          )
          return result
        }
        return { email, sendCallback }
      },
      send: (send, { sendCallback }) => sendCallback(send),
      success: 302,
      // The state was consumed: the browser starts again.
      repeated: [303],
      check: async ({ email }, answer) => {
        if (!answer) return
        await isConfirmed(email)
        require((await sessionsOf(email)) >= 1, 'signed in without a session')
      },
    }),
    'enrollment of a factor': flow({
      given: newSession,
      send: (send, { accessToken }) =>
        send('POST', '/factors', {
          token: accessToken,
          body: { factor_type: 'totp', friendly_name: 'app' },
        }),
      success: 200,
      repeated: [422],
      check: async ({ user }) =>
        require((await count('factors where user_id = $1', user.id)) === 1, 'there is no factor'),
    }),
    'challenge of a factor': flow({
      given: factors.begun,
      send: (send, { accessToken, app }) =>
        send('POST', `/factors/${app.id}/challenge`, { token: accessToken, body: {} }),
      success: 200,
      check: async ({ accessToken, app }, answer) => {
        const { status } = await factors.answer(
          accessToken,
          app.id,
          answer?.body.id,
          factors.codeOf(app),
        )
        require(status === 200, 'the challenge is not stored')
      },
    }),
    'verification of a factor': flow({
      given: factors.begun,
      send: (send, { accessToken, app, challengeId }) =>
        send('POST', `/factors/${app.id}/verify`, {
          token: accessToken,
          body: { challenge_id: challengeId, code: factors.codeOf(app) },
        }),
      success: 200,
      repeated: [400, 403, 404, 422],
      check: async ({ user, accessToken }, answer) => {
        const sql = `factors where user_id = $1 and status = 'verified'`
        require((await count(sql, user.id)) === 1, 'the factor is not verified')
        const strong = `sessions where user_id = $1 and aal = 'aal2'`
        require((await count(strong, user.id)) === 1, 'verified without a stronger session')
        require((await auth.get('/user', { token: accessToken })).status === 200, 'no session')
        if (answer) await requireSession(answer.body)
      },
    }),
    'removal of a factor': flow({
      given: factors.aal2Session,
      send: (send, { accessToken, app }) =>
        send('DELETE', `/factors/${app.id}`, { token: accessToken }),
      success: 200,
      repeated: [404, 422],
      check: async ({ user }) =>
        require((await count('factors where user_id = $1', user.id)) === 0, 'there is a factor'),
    }),
    'recovery codes': flow({
      given: factors.aal2Session,
      send: (send, { accessToken }) =>
        send('POST', '/factors/recovery-codes', { token: accessToken }),
      success: 200,
      repeated: [422],
      check: async ({ user }) =>
        require((await count('factors where user_id = $1', user.id)) === 2, 'there are no codes'),
    }),
    'registration of a passkey': flow({
      given: async () => {
        const session = await newSession()
        const { body } = await passkeys.begin(session.accessToken)
        const credential = createAuthenticator().create(body.options)
        return { ...session, body: { challenge_id: body.challenge_id, credential } }
      },
      send: (send, { accessToken, body }) =>
        send('POST', '/passkeys/registration/verify', { token: accessToken, body }),
      success: 200,
      repeated: [400, 403, 404, 422],
      check: async ({ user }, answer) =>
        // Each request consumes the challenge: the user begins again.
        require(!answer ||
          (await count('passkeys where user_id = $1', user.id)) === 1, 'no passkey'),
    }),
    reauthentication: flow({
      given: newSession,
      send: (send, { accessToken }) => send('GET', '/reauthenticate', { token: accessToken }),
      success: 200,
      check: ({ user }) => requireMessage(user.email ?? '', 'reauthentication'),
    }),
    'sign-out': flow({
      given: newSession,
      send: (send, { accessToken }) => send('POST', '/logout', { token: accessToken }),
      success: 204,
      repeated: [403],
      check: async ({ accessToken, refreshToken }) => {
        const { status } = await auth.get('/user', { token: accessToken })
        require(status === 403, `GET /user after the sign-out: ${status}`)
        const refreshed = await refreshWith(auth.request, refreshToken)
        require(refreshed.status === 400, `refresh after the sign-out: ${refreshed.status}`)
      },
    }),
    'a user of an administrator': flow({
      given: async () => ({ email: newEmail(), token: await token() }),
      send: (send, { email, token }) =>
        send('POST', '/admin/users', { token, body: { email, password, email_confirm: true } }),
      success: 200,
      repeated: [422],
      check: ({ email }) => requirePassword(email),
    }),
    'a change by an administrator': flow({
      given: async () => ({ ...(await newSession()), token: await token() }),
      send: (send, { user, token }) =>
        send('PUT', `/admin/users/${user.id}`, { token, body: { password: 'set by an operator' } }),
      success: 200,
      check: ({ user }) => requirePassword(user.email ?? '', 'set by an operator'),
    }),
    'a deletion by an administrator': flow({
      given: async () => ({ ...(await newSession()), token: await token() }),
      send: (send, { user, token }) => send('DELETE', `/admin/users/${user.id}`, { token }),
      success: 200,
      repeated: [404],
      check: async ({ user }) => {
        require((await count('users where id = $1', user.id)) === 0, 'the user is stored')
        require((await count('identities where user_id = $1', user.id)) === 0, 'an identity is')
      },
    }),
    invitation: flow({
      given: async () => ({ email: newEmail(), token: await token() }),
      send: (send, { email, token }) => send('POST', '/invite', { token, body: { email } }),
      success: 200,
      check: ({ email }) => requireMessage(email, 'confirmation'),
    }),
    'exchange of an OAuth code': flow({
      given: async () => {
        const [client, { accessToken }] = [await oauth.client(), await newSession()]
        return { client, code: await oauth.code(client, accessToken) }
      },
      send: (send, { client, code }) =>
        oauthOf({ ...auth, request: send }).form(
          '/oauth/token',
          {
            grant_type: 'authorization_code',
            code,
            redirect_uri: callback,
            code_verifier: verifier,
          },
          client,
        ),
      success: 200,
      repeated: [400],
      check: async ({ client }, answer) => {
        if (!answer) return
        const { status, text } = await oauth.refresh(client, answer.body.refresh_token)
        require(status === 200, `the refresh token of the client: ${text}`)
      },
    }),
  }
}
