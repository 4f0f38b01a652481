import { createHash, randomUUID } from 'node:crypto'
import { oidc } from '../../src/credentials/external/oidc.ts'
import type { AuthConfig } from '../../src/platform/config/config.ts'
import { createAuthenticator } from './authenticator.ts'
import { type FakeRealm, openBrowser, realmSettings, startFakeRealm } from './fake-realm.ts'
import { linking } from './linking.ts'
import { type DeliveredMessage, type MessagingAuth, startMessagingAuth } from './messages.ts'
import { issuerKey, type OpenIdIssuer, signAs, startOpenIdIssuer } from './openid-issuer.ts'
import { passkeysOf } from './passkeys.ts'
import type { Answer } from './test-auth.ts'
import { makeWallet, walletMessage } from './wallets.ts'

export type AddressKind = 'email' | 'phone'
export type PersonName = 'Ada' | 'Eve'

/** A user at one client, with everything that a request for an address needs. */
export interface TestRequester {
  name: PersonName
  ip: string
  password: string
  /** The sessions that the user has opened, the latest last. */
  sessions: Answer['body'][]
}

/** A service with every endpoint that requests an address. */
export interface AddressWorld {
  auth: MessagingAuth
  realm: FakeRealm
  issuer: OpenIdIssuer
  close(): Promise<void>
}

const key = issuerKey('ES256', 'key-1')

export async function startAddressWorld(
  email: { allowUnverifiedSignIns?: boolean } = {},
  hooks: AuthConfig['hooks'] = {},
): Promise<AddressWorld> {
  const [realm, issuer] = await Promise.all([startFakeRealm(), startOpenIdIssuer([key])])
  const client = { issuer: issuer.issuer, clientId: 'app', clientSecret: 'secret' }
  const auth = await startMessagingAuth({
    anonymousUsers: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    web3: { ethereumEnabled: true },
    security: { manualLinkingEnabled: true },
    email: { autoconfirm: false, maxFrequencySeconds: 0, secureChangeEnabled: false, ...email },
    hooks,
    providers: { keycloak: realmSettings(realm), acme: oidc({ ...client, label: 'Acme' }) },
  })
  return {
    auth,
    realm,
    issuer,
    close: async () => {
      await auth.close()
      await Promise.all([realm.close(), issuer.close()])
    },
  }
}

const ips: Record<PersonName, string> = { Ada: '203.0.113.50', Eve: '192.0.2.66' }

export const newRequester = (name: PersonName, ip = ips[name]): TestRequester => ({
  name,
  ip,
  password: `the password of ${name}`,
  sessions: [],
})

let addresses = 0
export const newAddressOf = (kind: AddressKind): string => {
  const number = ++addresses
  return kind === 'email'
    ? `wanted-${number}@example.test`
    : `49157${String(number).padStart(8, '0')}`
}

/** An endpoint that requests an address, called by a requester. */
export interface AddressEndpoint {
  name: string
  kinds: readonly AddressKind[]
  /** The part of the request that a new account receives. */
  supplies?: 'password' | 'metadata'
  /**
   * True if the account of the request has another confirmed address, on which the change is based.
   */
  restsOnAddress?: true
  /** True if a message is sent only for an address that an account has or awaits. */
  needsOwner?: true
  request(
    world: AddressWorld,
    requester: TestRequester,
    address: RequestedFor,
  ): Promise<Answer | null>
}

export interface RequestedFor {
  kind: AddressKind
  value: string
}

const both = ['email', 'phone'] as const
const onlyEmail = ['email'] as const

const post =
  (path: string, extra: (requester: TestRequester, address: RequestedFor) => object = () => ({})) =>
  ({ auth }: AddressWorld, requester: TestRequester, address: RequestedFor) =>
    auth.post(
      path,
      { [address.kind]: address.value, ...extra(requester, address) },
      { ip: requester.ip },
    )

const data = ({ name }: TestRequester) => ({ data: { name } })

const supplied = (requester: TestRequester) => ({
  password: requester.password,
  ...data(requester),
})

/** Requests of clients without a session. */
const anonymousRequests: AddressEndpoint[] = [
  { name: 'POST /signup', kinds: both, supplies: 'password', request: post('/signup', supplied) },
  { name: 'POST /otp', kinds: both, supplies: 'metadata', request: post('/otp', data) },
  {
    name: 'POST /magiclink',
    kinds: onlyEmail,
    supplies: 'metadata',
    request: post('/magiclink', data),
  },
  { name: 'POST /recover', kinds: onlyEmail, needsOwner: true, request: post('/recover') },
  {
    name: 'POST /resend',
    kinds: both,
    needsOwner: true,
    request: post('/resend', (_requester, { kind }) => ({
      type: kind === 'email' ? 'signup' : 'sms',
    })),
  },
]

type OpenAccount = (world: AddressWorld, requester: TestRequester) => Promise<Answer['body']>

const anonymous: OpenAccount = async ({ auth }, requester) =>
  (await auth.post('/signup', data(requester), { ip: requester.ip })).body

const withPasskey: OpenAccount = async ({ auth }, requester) =>
  (await passkeysOf(auth).signUp(createAuthenticator(), data(requester), { ip: requester.ip })).body

const withWallet: OpenAccount = async ({ auth }, requester) => {
  const wallet = makeWallet('ethereum')
  const message = walletMessage(wallet, auth.clock.now())
  const body = { chain: 'ethereum', message, signature: wallet.sign(message) }
  return (await auth.post('/token?grant_type=web3', body, { ip: requester.ip })).body
}

/** Creates an account whose address of this kind is confirmed. */
const withAddress =
  (kind: AddressKind): OpenAccount =>
  async ({ auth }, requester) => {
    const address = { [kind]: newAddressOf(kind), password: requester.password }
    await auth.auth.admin.createUser({ ...address, emailConfirm: true, phoneConfirm: true })
    return (await auth.post('/token?grant_type=password', address, { ip: requester.ip })).body
  }

const changeFrom =
  (open: OpenAccount): AddressEndpoint['request'] =>
  async (world, requester, { kind, value }) => {
    const session = await open(world, requester)
    requester.sessions.push(session)
    return world.auth.put(
      '/user',
      { [kind]: value, ...data(requester) },
      { token: session.access_token, ip: requester.ip },
    )
  }

const unverified = (value: string, { name }: TestRequester) => ({
  sub: `subject-${randomUUID()}`,
  email: value,
  email_verified: false,
  name,
})

const idTokenOf = ({ auth, issuer }: AddressWorld, claims: object): string => {
  const now = Math.floor(auth.clock.now().getTime() / 1000)
  const signed = { iss: issuer.issuer, aud: 'app', iat: now, exp: now + 600, nonce: sha256(nonce) }
  return signAs(key, { ...signed, ...claims })
}

const nonce = 'a nonce of the application'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const grant = (
  world: AddressWorld,
  requester: TestRequester,
  value: string,
  options: { body?: object; token?: string } = {},
) =>
  world.auth.post(
    '/token?grant_type=id_token',
    {
      provider: 'acme',
      nonce,
      id_token: idTokenOf(world, unverified(value, requester)),
      ...options.body,
    },
    { ip: requester.ip, ...(options.token && { token: options.token }) },
  )

/** Sends the requests of a browser at this client. */
export const clientAt = (
  { auth }: Pick<AddressWorld, 'auth'>,
  { ip }: Pick<TestRequester, 'ip'>,
): Pick<MessagingAuth, 'request' | 'get'> => ({
  request: (method, path, options) => auth.request(method, path, { ...options, ip }),
  get: (path, options) => auth.get(path, { ...options, ip }),
})

const linkRedirect =
  (open: OpenAccount): AddressEndpoint['request'] =>
  async (world, requester, { value }) => {
    const session = await open(world, requester)
    requester.sessions.push(session)
    await linking(clientAt(world, requester), world.realm).link(
      session.access_token,
      unverified(value, requester),
    )
    return null
  }

const linkIdToken =
  (open: OpenAccount): AddressEndpoint['request'] =>
  async (world, requester, { value }) => {
    const session = await open(world, requester)
    requester.sessions.push(session)
    const body = { link_identity: true }
    return grant(world, requester, value, { body, token: session.access_token })
  }

const externalRedirect: AddressEndpoint['request'] = async (world, requester, { value }) => {
  const browser = openBrowser(clientAt(world, requester))
  const { state } = await browser.authorize()
  const code = world.realm.codeFor(unverified(value, requester))
  const { fragment } = await browser.sendCallback({ state, code })
  if (fragment['access_token']) requester.sessions.push(fragment)
  return null
}

/**
 * Changes of address in a session, and identities with an address that their provider has not
 * verified.
 */
const sessionRequests: AddressEndpoint[] = [
  { name: 'PUT /user, anonymous', kinds: both, request: changeFrom(anonymous) },
  { name: 'PUT /user, passkey', kinds: both, request: changeFrom(withPasskey) },
  { name: 'PUT /user, wallet', kinds: both, request: changeFrom(withWallet) },
  {
    name: 'PUT /user, beside a phone',
    kinds: both,
    restsOnAddress: true,
    request: changeFrom(withAddress('phone')),
  },
  {
    name: 'PUT /user, in place of an email',
    kinds: both,
    restsOnAddress: true,
    request: changeFrom(withAddress('email')),
  },
  { name: 'linking, anonymous', kinds: onlyEmail, request: linkRedirect(anonymous) },
  {
    name: 'linking, beside a phone',
    kinds: onlyEmail,
    restsOnAddress: true,
    request: linkRedirect(withAddress('phone')),
  },
  { name: 'linking by id token, wallet', kinds: onlyEmail, request: linkIdToken(withWallet) },
]

const externalRequests: AddressEndpoint[] = [
  { name: 'external sign-in', kinds: onlyEmail, request: externalRedirect },
  {
    name: 'id token',
    kinds: onlyEmail,
    request: (world, requester, { value }) => grant(world, requester, value),
  },
]

/** All endpoints through which a client other than an operator requests an address. */
export const addressEndpoints: readonly AddressEndpoint[] = [
  ...anonymousRequests,
  ...sessionRequests,
  ...externalRequests,
]

/** Opens the link of a message as a browser at this client does. */
export async function openMail(
  world: AddressWorld,
  { ip }: Pick<TestRequester, 'ip'>,
  { hash, type, redirectTo }: DeliveredMessage,
): Promise<URLSearchParams> {
  const query = new URLSearchParams({ token: hash, type, redirect_to: redirectTo })
  const { headers } = await world.auth.request('GET', `/verify?${query}`, { ip })
  const location = headers.get('location')
  return new URLSearchParams(location === null ? '' : new URL(location).hash.slice(1))
}

/** Enters the code of a message for a phone. */
export async function enterCode(
  world: AddressWorld,
  { ip }: Pick<TestRequester, 'ip'>,
  { code, to: phone }: DeliveredMessage,
): Promise<Answer | undefined> {
  for (const type of ['sms', 'phone_change']) {
    const answer = await world.auth.post('/verify', { type, phone, token: code }, { ip })
    if (answer.status === 200) return answer
  }
  return undefined
}
