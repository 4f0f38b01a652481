import type { EthereumWallet, SolanaWallet } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { openClient } from './support/supabase-client.ts'
import { makeWallet, walletMessage } from './support/wallets.ts'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url, {
    AUTH_SITE_URL: 'https://app.example.test',
    AUTH_EXTERNAL_WEB3_SOLANA_ENABLED: 'true',
    AUTH_EXTERNAL_WEB3_ETHEREUM_ENABLED: 'true',
  })
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const url = 'https://app.example.test/sign-in'

/** The part of a wallet's interface that the client uses (EIP-1193). */
function ethereumProvider() {
  const wallet = makeWallet('ethereum')
  const methods: Record<string, (params: readonly string[]) => unknown> = {
    eth_requestAccounts: () => [`0x${wallet.address.slice(2).toUpperCase()}`],
    eth_chainId: () => '0x89',
    personal_sign: ([text = '']) => wallet.sign(Buffer.from(text.slice(2), 'hex').toString()),
  }
  const request = async ({ method, params = [] }: { method: string; params?: readonly string[] }) =>
    methods[method]?.(params)
  return { address: wallet.address, provider: { request } as unknown as EthereumWallet }
}

/** A wallet that signs the text of the client. */
function signingSolanaProvider() {
  const wallet = makeWallet('solana')
  const provider = {
    publicKey: { toBase58: () => wallet.address },
    signMessage: async (message: Uint8Array) => wallet.signBytes(message),
  }
  return { address: wallet.address, provider: provider as unknown as SolanaWallet }
}

/** A wallet that writes the message itself, from the input of the client. */
function writingSolanaProvider() {
  const wallet = makeWallet('solana')
  const signIn = async (input: Record<string, string>) => {
    const message = walletMessage(wallet, new Date(input['issuedAt'] ?? ''), {
      domain: input['domain'] ?? '',
      uri: input['uri'] ?? '',
      ...(input['statement'] && { statement: input['statement'] }),
    })
    return {
      signedMessage: new TextEncoder().encode(message),
      signature: wallet.signBytes(message),
    }
  }
  return { address: wallet.address, provider: { signIn } as unknown as SolanaWallet }
}

describe('signInWithWeb3 of @supabase/auth-js', () => {
  const resources = ['https://example.test/terms', 'ipfs://bafy']

  it('signs in with Ethereum, and the next time as the same user', async () => {
    const { address, provider: wallet } = ethereumProvider()
    const client = openClient(server.url)
    const credentials = { chain: 'ethereum', wallet, statement: 'I accept' } as const

    const { data, error } = await client.signInWithWeb3({
      ...credentials,
      options: { url, signInWithEthereum: { nonce: 'a1b2c3d4', resources, requestId: '7' } },
    })
    const again = await openClient(server.url).signInWithWeb3({ ...credentials, options: { url } })

    expect(error).toBeNull()
    expect(data.user?.identities?.[0]?.identity_data).toMatchObject({
      sub: `web3:ethereum:${address}`,
      custom_claims: { address, chain: 'ethereum', network: '137', statement: 'I accept' },
    })
    expect(again.data.user?.id).toBe(data.user?.id)
    expect((await client.getUser()).data.user?.id).toBe(data.user?.id)
    expect((await client.refreshSession()).error).toBeNull()
  })

  it.each([
    ['signs', signingSolanaProvider],
    ['writes', writingSolanaProvider],
  ])('signs in with a Solana wallet that %s the message', async (_, open) => {
    const { address, provider: wallet } = open()
    const client = openClient(server.url)

    const { data, error } = await client.signInWithWeb3({
      chain: 'solana',
      wallet,
      statement: 'I accept',
      options: { url, signInWithSolana: { chainId: 'mainnet', resources } },
    })

    expect(error).toBeNull()
    expect(data.user?.identities?.[0]?.identity_data).toMatchObject({
      sub: `web3:solana:${address}`,
      custom_claims: { address, network: 'mainnet', domain: 'app.example.test' },
    })
    expect(data.session?.user.id).toBe(data.user?.id)
  })

  it('receives an error for a message that was used before', async () => {
    const wallet = makeWallet('ethereum')
    const message = walletMessage(wallet, new Date())
    const credentials = {
      chain: 'ethereum',
      message,
      signature: wallet.sign(message) as `0x${string}`,
    } as const
    const client = openClient(server.url)
    await client.signInWithWeb3(credentials)

    const { data, error } = await client.signInWithWeb3(credentials)

    expect(data.session).toBeNull()
    expect(error).toMatchObject({
      name: 'AuthApiError',
      status: 400,
      message: 'Signed Ethereum message was used before',
    })
  })

  it('receives an error for a message for another site', async () => {
    const { provider: wallet } = ethereumProvider()

    const { error } = await openClient(server.url).signInWithWeb3({
      chain: 'ethereum',
      wallet,
      options: { url: 'https://evil.test/' },
    })

    expect(error?.message).toMatch(/message was signed for another app$/)
  })
})
