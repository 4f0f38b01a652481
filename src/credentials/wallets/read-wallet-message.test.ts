import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MessageParts, walletMessage } from '../../../test/support/wallets.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type Chain, chains } from './chain.ts'
import { readWalletMessage } from './read-wallet-message.ts'

const issuedAt = new Date('2026-03-01T12:00:00.000Z')
const addresses = {
  solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  ethereum: '0x2c7536e3605d9c16a7a3d7b1898e529396a65c23',
}
const prefixes = { solana: 'siws', ethereum: 'siwe' }
const labels = { solana: 'Solana', ethereum: 'Ethereum' }

const messageOf = (chain: Chain, parts: MessageParts = {}) =>
  walletMessage({ chain, address: addresses[chain] }, issuedAt, parts)
const read = (chain: Chain, parts: MessageParts = {}) =>
  readWalletMessage(chain, messageOf(chain, parts))
const withLine = (chain: Chain, index: number, line: string, removed = 1) =>
  messageOf(chain).split('\n').toSpliced(index, removed, line).join('\n')

describe.each(chains)('a message of %s', (chain) => {
  const rejection = (text: string): string => {
    try {
      readWalletMessage(chain, text)
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed', status: 400 })
      const { message } = error as AuthError
      expect(message.startsWith(`${prefixes[chain]}: `)).toBe(true)
      return message.slice(6)
    }
    throw new Error('it was read')
  }

  it('contains address, domain and time of the sign-in', () => {
    const parts = {
      domain: 'app.example.test:8443',
      statement: 'I accept: https://example.test/terms',
      uri: 'https://app.example.test:8443/?next=%2F#top',
      expirationTime: '2026-03-01T13:00:00+00:30',
      notBefore: '2026-03-01T11:00:00.5Z',
    }

    expect(read(chain, parts)).toEqual({
      chain,
      text: messageOf(chain, parts),
      domain: 'app.example.test:8443',
      address: addresses[chain],
      statement: 'I accept: https://example.test/terms',
      uri: 'https://app.example.test:8443/?next=%2F#top',
      network: chain === 'solana' ? 'mainnet' : '1',
      issuedAt,
      expiresAt: new Date('2026-03-01T12:30:00Z'),
      notBefore: new Date('2026-03-01T11:00:00.500Z'),
    })
  })

  it('requires no statement, chain ID, expiration or start', () => {
    expect(read(chain, { chainId: null })).toMatchObject({
      statement: null,
      network: '',
      expiresAt: null,
      notBefore: null,
    })
  })

  it('may have white space around its values, blank lines and fields of other kinds', () => {
    const text = messageOf(chain, {
      domain: '  localhost:3000 ',
      more: ['', ' Colour :  blue ', ''],
    })
      .replace('Version: 1', '\t Version:1 \r')
      .replace(addresses[chain], ` ${addresses[chain]} `)

    expect(readWalletMessage(chain, text)).toMatchObject({
      domain: 'localhost:3000',
      address: addresses[chain],
    })
  })

  it.each([['Resources:'], ['Resources']])('may list %s', (title) => {
    const more = [title, '- https://example.test/a', '- ipfs://b/c', 'Request ID: 7']

    expect(read(chain, { more })).toMatchObject({ address: addresses[chain] })
    expect(rejection(messageOf(chain, { more: [title, '- urn:a', '- b', '- urn:c'] }))).toBe(
      'Resource at position 1 has invalid URI',
    )
    expect(rejection(messageOf(chain, { more: [title, 'Request ID: 7', '- b'] }))).toBe(
      'encountered unparsable line at index 10',
    )
  })

  const suffix = ` wants you to sign in with your ${labels[chain]} account:`
  const firstLine = `message first line does not end in "${suffix}"`

  it.each<[reason: string, text: string]>([
    ['message needs at least 6 lines', 'x'.repeat(100)],
    ['message needs at least 6 lines', messageOf(chain).split('\n').slice(0, 5).join('\n')],
    [firstLine, withLine(chain, 0, `app.example.test${suffix} `)],
    [firstLine, withLine(chain, 0, `app.example.test${suffix}\r`)],
    [firstLine, withLine(chain, 0, 'app.example.test wants you to sign in with your account:')],
    [
      firstLine,
      messageOf(chain === 'solana' ? 'ethereum' : 'solana', { address: addresses[chain] }),
    ],
    ...[
      '',
      'example',
      '127.0.0.2',
      '[::1]',
      'a.b.c1',
      'x.y',
      'https://app.example.test',
      'a b.test',
    ]
      .concat(['app..test', '.test', 'app.test.', 'app.test:', 'app.test:123456', 'user@app.test'])
      .concat(['app.test/x', `${'a.'.repeat(130)}test`, 'localhost:a', 'аpp.test'])
      .map((domain): [string, string] => [
        'domain in first line of message is not valid',
        messageOf(chain, { domain }),
      ]),
    ['third line must be empty', withLine(chain, 2, ' ')],
    ['third line must be empty', withLine(chain, 2, 'I agree')],
    [
      'encountered unparsable line at index 8',
      messageOf(chain, { more: ['', 'no colon'] }).replace('Nonce: oBbLoEldZs\n', ''),
    ],
    [
      'encountered unparsable line at index 3',
      withLine(chain, 3, 'no statement, since the next line is not empty', 0),
    ],
    ['URI is not valid', messageOf(chain, { uri: '/path' })],
    ['URI is not valid', messageOf(chain, { uri: 'https://' })],
    ['URI is not valid', messageOf(chain, { uri: '' })],
    ...['Issued At', 'Expiration Time', 'Not Before'].flatMap((key) =>
      ['', 'now', '2026-03-01', '1772366400', '2026-02-30T00:00:00Z', '2026-03-01T12:00:00'].map(
        (value): [string, string] => [
          `${key} is not a valid ISO8601 timestamp`,
          messageOf(chain, { issuedAt: null, more: [`${key}: ${value}`] }),
        ],
      ),
    ),
    ...(chain === 'solana'
      ? ['1', 'solana:', 'mainnet-beta', 'Mainnet', 'solana:mainnet:x', 'eip155:1']
      : ['', '0', '-1', '1.5', '0x1', 'mainnet', '1e3', '9'.repeat(100)]
    ).map((chainId): [string, string] => ['Chain ID is not valid', messageOf(chain, { chainId })]),
    ['Version value is not supported, expected 1 got "2"', messageOf(chain, { version: '2' })],
    ['Version value is not supported, expected 1 got "1.0"', messageOf(chain, { version: '1.0' })],
    ['Version value is not supported, expected 1 got ""', messageOf(chain, { version: null })],
    ['Issued At is not specified', messageOf(chain, { issuedAt: null })],
    ['URI is not specified', messageOf(chain, { uri: null })],
    [
      'Issued At is after Expiration Time',
      messageOf(chain, { expirationTime: '2026-03-01T11:59:59.999Z' }),
    ],
    [
      'Not Before is after Expiration Time',
      messageOf(chain, {
        expirationTime: '2026-03-01T12:01:00Z',
        notBefore: '2026-03-01T12:01:01Z',
      }),
    ],
    ['URI is specified more than once', messageOf(chain, { more: ['URI: https://evil.test/'] })],
    ['Issued At is specified more than once', messageOf(chain, { more: ['Issued At: x'] })],
  ])('is refused: %s (%#)', (reason, text) => {
    expect(rejection(text)).toBe(reason)
  })

  it.each(
    chain === 'solana'
      ? ['', 'x'.repeat(31), 'x'.repeat(45), `${'x'.repeat(31)}-`, `0x${'a'.repeat(40)}é`]
      : [
          '',
          `0x${'a'.repeat(39)}`,
          `0x${'a'.repeat(41)}`,
          `0X${'a'.repeat(40)}`,
          `0x${'g'.repeat(40)}`,
        ].concat(['a'.repeat(40)]),
  )('is rejected for the address %j', (address) => {
    expect(rejection(messageOf(chain, { address }))).toBe(
      chain === 'solana'
        ? 'wallet address is not in base58 format'
        : 'wallet address is not a valid Ethereum address',
    )
  })

  it.each(
    chain === 'solana'
      ? ['', 'mainnet', 'devnet', 'testnet', 'localnet', 'solana:mainnet', 'solana:localnet']
      : ['1', '137', '007', '11155111'],
  )('may be for the network %j', (chainId) => {
    expect(read(chain, { chainId }).network).toBe(chainId)
  })

  it('throws only rejections, whatever it contains', () => {
    const line = fc.oneof(
      fc.constantFrom(...messageOf(chain, { statement: 'Hello' }).split('\n')),
      fc.constantFrom(
        '',
        'Resources:',
        'Resources',
        '- ',
        '- urn:x',
        ':',
        'URI:',
        'Version: ',
        '\r',
      ),
      fc
        .tuple(
          fc.constantFrom(
            'URI',
            'Version',
            'Chain ID',
            'Issued At',
            'Expiration Time',
            'Not Before',
          ),
          fc.string({ unit: 'binary' }),
        )
        .map(([key, value]) => `${key}: ${value}`),
      fc.string({ unit: 'binary' }),
    )
    const lines = messageOf(chain).split('\n')
    const text = fc.oneof(
      fc.array(line, { maxLength: 20 }).map((some) => some.join('\n')),
      fc
        .array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 2 }), line), { maxLength: 3 })
        .map((changes) =>
          changes
            .reduce((some, [at, removed, one]) => some.toSpliced(at, removed, one), lines)
            .join('\n'),
        ),
    )
    let readCount = 0
    fc.assert(
      fc.property(text, (one) => {
        try {
          const message = readWalletMessage(chain, one)
          readCount += 1
          expect(Number.isFinite(message.issuedAt.getTime())).toBe(true)
        } catch (error) {
          if (!(error instanceof AuthError)) throw error
        }
      }),
      { numRuns: 3000 },
    )
    expect(readCount).toBeGreaterThan(100)
  })

  it.each<[what: string, fill: (size: number) => string]>([
    ['domain', (size) => messageOf(chain, { domain: 'a'.repeat(size) })],
    ['labels', (size) => messageOf(chain, { domain: 'a.'.repeat(size / 2) })],
    ['white space', (size) => messageOf(chain, { domain: `a${' '.repeat(size)}b` })],
    ['address', (size) => messageOf(chain, { address: 'a'.repeat(size) })],
    ['lines', (size) => messageOf(chain, { more: ['\n'.repeat(size)] })],
    ['fields', (size) => messageOf(chain, { more: Array(size / 4).fill('a:b') })],
    ['instant', (size) => messageOf(chain, { issuedAt: '2026-03-01T12:00:00.'.padEnd(size, '0') })],
    ['URI', (size) => messageOf(chain, { uri: 'https://a.test/'.padEnd(size, '../') })],
    ['host', (size) => messageOf(chain, { uri: 'https://a.test'.padEnd(size, '.xn--a') })],
    [
      'resources',
      (size) => messageOf(chain, { more: ['Resources:', ...Array(size / 4).fill('- a:')] }),
    ],
    ['chain ID', (size) => messageOf(chain, { chainId: '0'.repeat(size) })],
  ])('is read in a time that grows with its length: long %s', (_, fill) => {
    const long = fill(500_000)

    const before = process.cpuUsage()
    try {
      readWalletMessage(chain, long)
    } catch {}
    const { user, system } = process.cpuUsage(before)

    // A time that grew with the square of the length would be some minutes. It is less than 0.3 s.
    expect((user + system) / 1_000_000).toBeLessThan(15)
  })
})
