import { secp256k1 } from '@noble/curves/secp256k1.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import {
  type MessageParts,
  makeWallet,
  type Wallet,
  walletMessage,
} from '../../../test/support/wallets.ts'
import { chainLabels, chains } from '../../credentials/wallets/chain.ts'

const enabled = { solanaEnabled: true, ethereumEnabled: true }

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth({
    web3: enabled,
    redirects: { allowList: ['http://localhost:3000/**', 'https://other.example.test/sign-in'] },
  })
})
afterAll(() => auth.close())

const post = (body: object, to = auth) => to.post('/token?grant_type=web3', body)

const ask = (wallet: Wallet, message: string, to = auth) =>
  post({ chain: wallet.chain, message, signature: wallet.sign(message) }, to)

const messageOf = (wallet: Wallet, parts?: MessageParts, to = auth) =>
  walletMessage(wallet, to.clock.now(), parts)

const signIn = (wallet: Wallet, parts?: MessageParts) => ask(wallet, messageOf(wallet, parts))

const inSeconds = (seconds: number) =>
  new Date(auth.clock.now().getTime() + seconds * 1000).toISOString()

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe.each(chains)('a wallet of %s', (chain) => {
  const label = chainLabels[chain]
  const grantError = (description: string) => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: description },
  })
  const formError = (message: string) => ({
    status: 400,
    body: { error_code: 'validation_failed', msg: message },
  })

  it('signs in, with a new account without an address', async () => {
    const wallet = makeWallet(chain)

    const { status, body } = await signIn(wallet, { statement: 'I accept the terms' })

    expect(status).toBe(200)
    const subject = `web3:${chain}:${wallet.address}`
    const custom = {
      address: wallet.address,
      chain,
      network: chain === 'solana' ? 'mainnet' : '1',
      domain: 'app.example.test',
      statement: 'I accept the terms',
    }
    expect(body.user).toMatchObject({
      email: '',
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'web3', providers: ['web3'] },
      identities: [
        {
          provider: 'web3',
          id: subject,
          identity_data: {
            sub: subject,
            email_verified: false,
            phone_verified: false,
            custom_claims: custom,
          },
        },
      ],
    })
    expect(body.user.email_confirmed_at).toBeFalsy()
    expect(claimsOf(body.access_token)).toMatchObject({
      sub: body.user.id,
      aal: 'aal1',
      amr: [{ method: 'web3' }],
    })
    expect((await auth.post('/token?grant_type=refresh_token', body)).status).toBe(200)
  })

  it('is the same user the next time, and no other wallet is', async () => {
    const [wallet, other] = [makeWallet(chain), makeWallet(chain)]

    const first = await signIn(wallet)
    auth.clock.advance(1)
    const second = await signIn(wallet, { statement: 'Again' })
    const third = await signIn(other)

    expect(second.body.user.id).toBe(first.body.user.id)
    expect(second.body.user.identities).toHaveLength(1)
    expect(second.body.user.identities[0].identity_data.custom_claims.statement).toBe('Again')
    expect(third.body.user.id).not.toBe(first.body.user.id)
  })

  it('stores no statement and network where the message has none', async () => {
    const { body } = await signIn(makeWallet(chain), { chainId: null })

    expect(body.user.identities[0].identity_data.custom_claims).toMatchObject({
      network: '',
      statement: chain === 'solana' ? '' : null,
    })
  })

  it('stores no statement that would displace other claims', async () => {
    const { body } = await signIn(makeWallet(chain), { statement: 'é'.repeat(9_000) })

    const { address, statement } = body.user.identities[0].identity_data.custom_claims
    expect([address, statement]).toEqual([expect.any(String), chain === 'solana' ? '' : null])
  })

  it('is recorded, with its message', async () => {
    const wallet = makeWallet(chain)
    const { body } = await signIn(wallet)

    const entries = await auth.rows<{ traits: object }>(
      'select traits from auth.audit_entries where actor_id = $1 order by id',
      [body.user.id],
    )

    expect(entries.map(({ traits }) => traits)).toEqual([
      { provider: 'web3' },
      {
        provider: 'web3',
        chain,
        network: chain === 'solana' ? 'mainnet' : '1',
        address: wallet.address,
        domain: 'app.example.test',
        uri: 'https://app.example.test/sign-in',
      },
    ])
    expect(JSON.stringify(auth.log)).not.toContain(wallet.address)
  })

  it('signs in once by each message, with any signature', async () => {
    const wallet = makeWallet(chain)
    const message = messageOf(wallet)
    const signature = wallet.sign(message)

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post({ chain, message, signature })),
    )
    auth.clock.advance(599)
    const later = await ask(wallet, message)

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400])
    expect(later).toMatchObject(grantError(`Signed ${label} message was used before`))
    auth.clock.advance(2)
    expect((await ask(wallet, message)).status).toBe(400)
  })

  it('does not restore a deleted user by an old message', async () => {
    const wallet = makeWallet(chain)
    const message = messageOf(wallet)
    const { body } = await ask(wallet, message)
    await auth.auth.admin.deleteUser(body.user.id)

    expect(await ask(wallet, message)).toMatchObject(
      grantError(`Signed ${label} message was used before`),
    )
  })

  it('is accepted for concurrent messages, with one account', async () => {
    const wallet = makeWallet(chain)

    const answers = await Promise.all(
      ['a', 'b', 'c'].map((statement) => signIn(wallet, { statement })),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
  })

  it('is rejected for a banned user', async () => {
    const wallet = makeWallet(chain)
    const { body } = await signIn(wallet)
    await auth.auth.admin.banUser(body.user.id, { duration: '1h' })

    expect(await signIn(wallet, { statement: 'Again' })).toMatchObject({
      status: 403,
      body: { error_code: 'user_banned' },
    })
  })

  it.each<[string, MessageParts]>([
    ['another port', { domain: 'app.example.test:8443' }],
    ['another host', { domain: 'other.example.test' }],
    ['a host below it', { domain: 'www.app.example.test' }],
    [
      'a listed page of a site that is not listed',
      { domain: 'other.example.test', uri: 'https://other.example.test/sign-in' },
    ],
    ['a site that calls itself localhost', { domain: 'localhost' }],
    ['another site than this machine', { uri: 'http://localhost:3000/', domain: 'evil.test' }],
    ['a name like localhost', { uri: 'http://localhost:3000/', domain: 'localhost.test' }],
  ])('is rejected for the domain of %s', async (_, parts) => {
    expect(await signIn(makeWallet(chain), parts)).toMatchObject(
      grantError(
        `Signed ${label} message is using a Domain that does not match the one in URI which is not allowed on this server`,
      ),
    )
  })

  it.each([
    'https://evil.test/',
    'https://app.example.test.evil.test/',
    'https://app.example.test@evil.test/',
    'https://app.example.test:8443/',
    'https://evil.test\\@app.example.test/',
    'http://localhost:4000/',
  ])('is rejected for the URI %s', async (uri) => {
    expect(await signIn(makeWallet(chain), { uri })).toMatchObject(
      grantError(
        `Signed ${label} message is using URI which is not allowed on this server, message was signed for another app`,
      ),
    )
  })

  it.each(['http://app.example.test/', 'ftp://app.example.test/', 'acmeapp://app.example.test/'])(
    'is rejected for the URI %s, which is not safe',
    async (uri) => {
      expect(await signIn(makeWallet(chain), { uri })).toMatchObject(
        grantError(`Signed ${label} message is using URI which does not use HTTPS`),
      )
    },
  )

  it.each<MessageParts>([
    { uri: 'http://localhost:3000/sign-in', domain: 'localhost:3000' },
    { uri: 'http://localhost:3000/', domain: 'localhost' },
    { uri: 'https://app.example.test', domain: 'App.Example.Test:443' },
  ])('signs in at $uri by the domain $domain', async (parts) => {
    expect((await signIn(makeWallet(chain), parts)).status).toBe(200)
  })

  it.each<[string, () => MessageParts, string | null]>([
    ['starts now', () => ({ notBefore: inSeconds(0) }), null],
    [
      'starts later',
      () => ({ notBefore: inSeconds(1) }),
      `Signed ${label} message becomes valid in the future`,
    ],
    ['ends now', () => ({ issuedAt: inSeconds(-1), expirationTime: inSeconds(0) }), null],
    [
      'has ended',
      () => ({ issuedAt: inSeconds(-2), expirationTime: inSeconds(-1) }),
      `Signed ${label} message is expired`,
    ],
    ['was issued as long ago as may be', () => ({ issuedAt: inSeconds(-600) }), null],
    [
      'was issued longer ago',
      () => ({ issuedAt: inSeconds(-601), expirationTime: inSeconds(60) }),
      `${label} message was issued too long ago`,
    ],
    ['will be issued as late as may be', () => ({ issuedAt: inSeconds(600) }), null],
    [
      'will be issued later',
      () => ({ issuedAt: inSeconds(601) }),
      `${label} message was issued too far in the future`,
    ],
  ])('by a message that %s', async (_, parts, description) => {
    const answer = await signIn(makeWallet(chain), parts())

    if (description === null) expect(answer.status).toBe(200)
    else expect(answer).toMatchObject(grantError(description))
  })

  it('is rejected for the signature of another wallet, or over another message', async () => {
    const [wallet, other] = [makeWallet(chain), makeWallet(chain)]
    const message = messageOf(wallet)
    const mismatch = grantError('Signature does not match address in message')

    expect(await post({ chain, message, signature: other.sign(message) })).toMatchObject(mismatch)
    expect(await post({ chain, message, signature: wallet.sign(`${message}\n`) })).toMatchObject(
      mismatch,
    )
    // The message is still valid for its signer.
    expect((await ask(wallet, message)).status).toBe(200)
  })

  it('is rejected for a message of another length or form', async () => {
    const wallet = makeWallet(chain)
    const atMost = messageOf(wallet, { more: ['x:'] })
    const filler = (bytes: number) =>
      messageOf(wallet, { more: [`x:${'é'.repeat((bytes - Buffer.byteLength(atMost)) / 2)}`] })
    const odd = Buffer.byteLength(atMost) % 2

    expect(await ask(wallet, 'x'.repeat(63))).toMatchObject(formError('message is too short'))
    expect(await ask(wallet, '')).toMatchObject(formError('message is too short'))
    expect((await ask(wallet, filler(20_480 - odd))).status).toBe(200)
    expect(await ask(wallet, filler(20_482 - odd))).toMatchObject(
      formError('message must not exceed 20KB'),
    )
    expect(await ask(wallet, 'x'.repeat(64))).toMatchObject(
      formError(`${chain === 'solana' ? 'siws' : 'siwe'}: message needs at least 6 lines`),
    )
    expect(await post({ chain, message: messageOf(wallet), signature: 'x' })).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed' },
    })
    expect((await post({ chain, message: messageOf(wallet) })).status).toBe(400)
    expect((await ask(wallet, messageOf(wallet, { statement: 'a\0b' }))).status).toBe(400)
  })

  it('returns the same error to a client of a later version of the wire', async () => {
    const message = messageOf(makeWallet(chain))
    const signature = makeWallet(chain).sign(message)

    const { status, body } = await auth.post(
      '/token?grant_type=web3',
      { chain, message, signature },
      { headers: { 'x-supabase-api-version': '2024-01-01' } },
    )

    expect(status).toBe(400)
    expect(body).toEqual({
      error: 'invalid_grant',
      error_description: 'Signature does not match address in message',
      request_id: expect.any(String),
    })
  })

  it('signs in from code as well', async () => {
    const wallet = makeWallet(chain)
    const message = messageOf(wallet)
    const input = { chain, message, signature: wallet.sign(message) }

    const { user, session } = await auth.auth.api.signInWithWeb3(input)
    const again = auth.auth.api.signInWithWeb3(input)

    expect(await auth.auth.verifyToken(session.accessToken)).toMatchObject({ sub: user.id })
    await expect(again).rejects.toMatchObject({
      code: 'invalid_credentials',
      status: 400,
      details: { oauthError: 'invalid_grant' },
    })
  })

  it('is rejected where it is disabled', async () => {
    const wallet = makeWallet(chain)
    const off = await startTestAuth({
      web3: { solanaEnabled: chain !== 'solana', ethereumEnabled: chain !== 'ethereum' },
    })
    try {
      expect(await ask(wallet, messageOf(wallet, {}, off), off)).toMatchObject({
        status: 422,
        body: { error_code: 'web3_provider_disabled', msg: `${label} Web3 provider is disabled` },
      })
    } finally {
      await off.close()
    }
  })

  it('may use a message for the configured time, and up to its limit', async () => {
    const strict = await startTestAuth({
      web3: {
        ...enabled,
        solanaMaximumValiditySeconds: '30s',
        ethereumMaximumValiditySeconds: 30,
      },
      rateLimits: { web3: 30, tokenRefresh: 'off' },
    })
    try {
      const wallet = makeWallet(chain)
      const message = messageOf(wallet, {}, strict)
      strict.clock.advance(31)
      const from = { ip: '203.0.113.7' }
      const body = { chain, message, signature: wallet.sign(message) }
      const attempt = () => strict.post('/token?grant_type=web3', body, from)

      expect((await attempt()).body.error_description).toBe(
        `${label} message was issued too long ago`,
      )
      for (let count = 1; count < 30; count += 1) await attempt()
      expect(await attempt()).toMatchObject({
        status: 429,
        body: { error_code: 'over_request_rate_limit', retry_after: 10 },
      })
    } finally {
      await strict.close()
    }
  })
})

it('the malleable twin of an Ethereum signature does not sign in again', async () => {
  const wallet = makeWallet('ethereum')
  const message = messageOf(wallet)
  const bytes = Buffer.from(wallet.signBytes(message))
  const s = BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`)
  const twinS = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0')
  const twinV = bytes[64] === 27 ? '1c' : '1b'
  const twin = `0x${bytes.subarray(0, 32).toString('hex')}${twinS}${twinV}`

  expect((await ask(wallet, message)).status).toBe(200)
  expect((await post({ chain: 'ethereum', message, signature: twin })).body).toMatchObject({
    error_description: 'Signed Ethereum message was used before',
  })
})

it('a sign-up for an unknown audience is rejected', async () => {
  const wallet = makeWallet('ethereum')
  const message = messageOf(wallet)
  const body = { chain: 'ethereum', message, signature: wallet.sign(message) }

  const invented = await auth.post('/token?grant_type=web3', body, {
    headers: { 'x-jwt-aud': 'invented' },
  })

  expect(invented).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } })
  expect((await post(body)).body.user.aud).toBe('authenticated')
})

it('an unknown chain is rejected', async () => {
  for (const chain of ['bitcoin', 'Solana', '', 'toString', undefined]) {
    expect(await post({ chain, message: '', signature: '' })).toMatchObject({
      status: 400,
      body: { error_code: 'web3_unsupported_chain', msg: 'Unsupported chain' },
    })
  }
})

it('no wallet signs in, and no body is read, where wallets are disabled', async () => {
  const off = await startTestAuth()
  try {
    const answer = await off.auth.fetch(
      new Request('https://app.example.test/token?grant_type=web3', { method: 'POST', body: '{' }),
    )

    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ msg: 'Web3 provider is disabled' })
  } finally {
    await off.close()
  }
})

it('a new user is rejected where sign-ups are disabled', async () => {
  const closed = await startTestAuth({ web3: enabled, signUp: { disabled: true } })
  try {
    const wallet = makeWallet('ethereum')
    expect(await ask(wallet, messageOf(wallet, {}, closed), closed)).toMatchObject({
      status: 422,
      body: { error_code: 'signup_disabled' },
    })
  } finally {
    await closed.close()
  }
})

it('an unconfirmed email must be confirmed, as with any provider', async () => {
  const wallet = makeWallet('ethereum')
  const strict = await startTestAuth({ ...withoutAutoconfirm, web3: enabled })
  try {
    const { body } = await ask(wallet, messageOf(wallet, {}, strict), strict)
    const email = 'ada@example.test'
    await strict.auth.admin.updateUser(body.user.id, { email, emailConfirm: false })
    strict.clock.advance(1)

    const input = messageOf(wallet, {}, strict)
    expect(await ask(wallet, input, strict)).toMatchObject({
      status: 422,
      body: { error_code: 'provider_email_needs_verification' },
    })
  } finally {
    await strict.close()
  }
})
