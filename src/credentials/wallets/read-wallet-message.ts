import type { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { parseInstant } from '../../platform/kit/time-formats.ts'
import { type Chain, chainLabels } from './chain.ts'
import { messageExpired, messageTooNew, messageTooOld, notValidYet } from './wallet-errors.ts'

/** The signed message of a sign-in. None of it is verified. */
export interface WalletMessage {
  chain: Chain
  /** The whole text, which the signature covers. */
  text: string
  /** The host of the application, with its port if it has one. */
  domain: string
  /** The address as written. */
  address: string
  /** The text that the wallet showed to the user. */
  statement: string | null
  /** An absolute URL as written. */
  uri: string
  /** The chain ID; empty where there is none. */
  network: string
  issuedAt: Date
  expiresAt: Date | null
  notBefore: Date | null
}

/** The differences between the two forms of a message. */
interface Form {
  /** The prefix of errors. */
  name: string
  address: RegExp
  addressError: string
  network: RegExp
}

const forms: Readonly<Record<Chain, Form>> = {
  solana: {
    name: 'siws',
    address: /^[A-Za-z0-9]{32,44}$/,
    addressError: 'wallet address is not in base58 format',
    network: /^(?:(?:solana:)?(?:mainnet|devnet|testnet|localnet))?$/,
  },
  ethereum: {
    name: 'siwe',
    address: /^0x[0-9A-Fa-f]{40}$/,
    addressError: 'wallet address is not a valid Ethereum address',
    network: /^0{0,77}[1-9][0-9]{0,77}$/,
  },
}

/**
 * Parses a message of “Sign in with Ethereum”, or of its counterpart for Solana.
 *
 * Its time grows linearly with the length of any input.
 *
 * @throws AuthError `validation_failed` (400) with the defect.
 * @see EIP-4361
 */
export function readWalletMessage(chain: Chain, text: string): WalletMessage {
  const form = forms[chain]
  const refuse = (reason: string): AuthError => validationFailed(`${form.name}: ${reason}`)
  const lines = text.split('\n')
  if (lines.length < 6) throw refuse('message needs at least 6 lines')
  const [first = '', second = '', third, fourth = '', fifth] = lines

  const suffix = ` wants you to sign in with your ${chainLabels[chain]} account:`
  if (!first.endsWith(suffix)) throw refuse(`message first line does not end in "${suffix}"`)
  const domain = first.slice(0, -suffix.length).trim()
  if (!isDomain(domain)) throw refuse('domain in first line of message is not valid')
  const address = second.trim()
  if (!form.address.test(address)) throw refuse(form.addressError)
  if (third !== '') throw refuse('third line must be empty')
  const hasStatement = fourth !== '' && fifth === ''

  const values = readFields(lines, hasStatement ? 5 : 3, refuse)
  return {
    chain,
    text,
    domain,
    address,
    statement: hasStatement ? fourth : null,
    ...understand(values, form, refuse),
  }
}

type Refuse = (reason: string) => AuthError

const maxDomainLength = 253 + ':65535'.length

const isDomain = (text: string): boolean =>
  text.length <= maxDomainLength &&
  /^(?:localhost|127\.0\.0\.1|(?:[a-z0-9-]+\.)+[a-z]{2,})(?::[0-9]{1,5})?$/i.test(text)

const keys = ['URI', 'Version', 'Chain ID', 'Issued At', 'Expiration Time', 'Not Before'] as const

type Key = (typeof keys)[number]
type Values = Partial<Record<Key, string>>

const isKey = (text: string): text is Key => (keys as readonly string[]).includes(text)

/** Returns the values of the known fields. Resources are validated and dropped. */
function readFields(lines: readonly string[], start: number, refuse: Refuse): Values {
  const values: Values = {}
  let resources = -1
  for (let index = start; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim()
    if (line === '') continue
    if (resources >= 0 && line.startsWith('- ')) {
      if (!URL.canParse(line.slice(2))) {
        throw refuse(`Resource at position ${resources} has invalid URI`)
      }
      resources += 1
      continue
    }
    // @supabase/auth-js omits the colon in messages for Solana.
    resources = line === 'Resources:' || line === 'Resources' ? 0 : -1
    if (resources === 0) continue
    const colon = line.indexOf(':')
    if (colon < 0) throw refuse(`encountered unparsable line at index ${index}`)
    const key = line.slice(0, colon)
    if (!isKey(key)) continue
    // The user may have read one of the values, and the service another.
    if (values[key] !== undefined) throw refuse(`${key} is specified more than once`)
    values[key] = line.slice(colon + 1).trim()
  }
  return values
}

function understand(values: Values, form: Form, refuse: Refuse) {
  const instant = (key: Key): Date | null => {
    const value = values[key]
    if (value === undefined) return null
    const at = parseInstant(value)
    if (at === null) throw refuse(`${key} is not a valid ISO8601 timestamp`)
    return at
  }
  const { URI: uri, Version: version = '', 'Chain ID': network } = values
  if (uri !== undefined && !URL.canParse(uri)) throw refuse('URI is not valid')
  if (network !== undefined && !form.network.test(network)) throw refuse('Chain ID is not valid')
  const issuedAt = instant('Issued At')
  const expiresAt = instant('Expiration Time')
  const notBefore = instant('Not Before')

  if (version !== '1') {
    // Truncated, so that the response does not repeat long input.
    throw refuse(`Version value is not supported, expected 1 got "${version.slice(0, 20)}"`)
  }
  if (issuedAt === null) throw refuse('Issued At is not specified')
  if (uri === undefined) throw refuse('URI is not specified')
  if (expiresAt && issuedAt > expiresAt) throw refuse('Issued At is after Expiration Time')
  if (expiresAt && notBefore && notBefore > expiresAt) {
    throw refuse('Not Before is after Expiration Time')
  }
  return { uri, network: network ?? '', issuedAt, expiresAt, notBefore }
}

/**
 * Rejects a message outside its validity: its own, and the maximum of the configuration.
 *
 * @param maximumValiditySeconds the maximum difference between now and its issue.
 * @returns the time after which it is rejected as too old.
 * @throws AuthError `invalid_credentials` (400), on the wire `invalid_grant`.
 */
export function requireValidAt(
  now: Date,
  { chain, issuedAt, expiresAt, notBefore }: WalletMessage,
  maximumValiditySeconds: number,
): Date {
  if (notBefore && now < notBefore) throw notValidYet(chain)
  if (expiresAt && now > expiresAt) throw messageExpired(chain)
  const validityMs = maximumValiditySeconds * 1000
  const oldAt = new Date(issuedAt.getTime() + validityMs)
  if (now > oldAt) throw messageTooOld(chain)
  if (now.getTime() < issuedAt.getTime() - validityMs) throw messageTooNew(chain)
  return expiresAt && expiresAt < oldAt ? expiresAt : oldAt
}
