import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'

/** The public keys of a service, as `GET /.well-known/jwks.json` returns them. @see RFC 7517 §5 */
export interface KeySet {
  readonly keys: readonly object[]
}

/** The service whose tokens are accepted. */
export interface VerifierOptions {
  /**
   * The value of `AUTH_JWT_ISSUER`, else the external URL of the service. A token with another
   * `iss` is rejected; tokens have none unless `AUTH_JWT_ISSUER` is set.
   */
  issuer: string
  /**
   * The URL of its public keys, or the keys. Default: `/.well-known/jwks.json` below the issuer.
   */
  jwks?: string | URL | KeySet | undefined
  /** The secret of a service that signs with HS256, instead of `jwks`. */
  secret?: string | undefined
  /** The accepted values of `aud`. Default `authenticated`, the default of the service. */
  audience?: string | readonly string[] | undefined
  /**
   * Whether tokens of OAuth clients are accepted that are for no resource. They act within
   * `scope`, which the caller has to check. Default: false. Tokens for a resource are accepted
   * where its URI is an `audience`.
   */
  acceptsClients?: boolean | undefined
  /** Sends the request for the keys. Default: the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** The present time. Default: the clock of the machine. */
  now?: (() => Date) | undefined
}

/** Verifies access tokens without a database. */
export interface Verifier {
  /**
   * Verifies signature, issuer, audience and lifetime of a user's access token. Operator tokens are
   * rejected, and so are tokens that are bound to a key, which require a proof.
   *
   * It cannot detect a revoked session: an access token is valid until it expires.
   *
   * @throws VerifierError `bad_jwt`, or `keys_unavailable` if the keys cannot be fetched.
   */
  verify(token: string): Promise<AccessTokenClaims>
}

/** A token that was not accepted. */
export class VerifierError extends Error {
  override readonly name = 'VerifierError'
  /** `bad_jwt`: respond 401. `keys_unavailable`: respond 503. */
  readonly code: 'bad_jwt' | 'keys_unavailable'

  constructor(code: 'bad_jwt' | 'keys_unavailable', message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
  }
}

interface Key {
  id: unknown
  algorithm: string
  key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

/** The parameters by algorithm. No other algorithm is accepted. @see RFC 7518 §3.1, RFC 8037 */
const algorithms: Readonly<Record<string, { name: string; hash?: string; namedCurve?: string }>> = {
  HS256: { name: 'HMAC', hash: 'SHA-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  ES256: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
  ES512: { name: 'ECDSA', hash: 'SHA-512', namedCurve: 'P-521' },
  EdDSA: { name: 'Ed25519' },
}

const maxTokenLength = 32_768
const maxKeySetLength = 65_536
const requestTimeoutMs = 5_000
/** The age at which keys are fetched again. */
const freshMs = 600_000
/** The age up to which keys are used while they cannot be fetched. */
const usableMs = 3_600_000
/** The shortest time between two requests for keys, after one that succeeded and one that failed. */
const pauseMs = { succeeded: 30_000, failed: 2_000 }

/**
 * Creates a verifier of access tokens for a process without `createAuth`: another service, an edge
 * middleware, Workers, Deno or Bun. It uses WebCrypto and `fetch` only.
 *
 * Keys are cached for ten minutes. A token with an unknown `kid` causes them to be fetched, at most
 * every 30 seconds.
 *
 * @throws TypeError if the options are invalid.
 * @example const { verify } = createVerifier({ issuer: 'https://example.com/auth' })
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { issuer, secret, audience = 'authenticated', now = () => new Date() } = options
  const { acceptsClients = false } = options
  if (typeof issuer !== 'string' || issuer === '') throw new TypeError('issuer is required')
  if (secret !== undefined && options.jwks !== undefined) {
    throw new TypeError('secret: only one of secret and jwks is permitted')
  }
  const audiences = [audience].flat()
  const findKeys = secret === undefined ? publicKeys(options, now) : sharedKey(secret)

  const verify = async (token: string): Promise<AccessTokenClaims> => {
    if ((token ?? '') === '') throw badJwt('the token is missing')
    const { header, claims, input, signature } = decode(token)
    const { alg, kid, typ, crit } = header
    if (crit !== undefined) throw badJwt('the token has a critical header extension')
    if (typ !== undefined && typ !== 'JWT' && typ !== 'at+jwt') throw badJwt('typ is not accepted')
    const keys = await findKeys(kid, alg)
    // The secret is never among public keys: the options are wrong, not the token.
    if (alg === 'HS256' && secret === undefined) {
      throw badJwt(
        'the token is signed with a shared secret (HS256), which needs the option secret',
      )
    }
    if (!(await isSignedByOneOf(keys, input, signature))) throw badJwt('the signature is invalid')
    const seconds = now().getTime() / 1000
    const { exp, nbf, iss, aud, sub } = claims
    // A token without `iss` is the issuer's, since its key is.
    if (iss !== undefined && iss !== issuer) throw otherIssuer(issuer, iss)
    if (!(typeof exp === 'number' && seconds < exp)) throw badJwt('the token has expired')
    if (nbf !== undefined && !(typeof nbf === 'number' && seconds >= nbf)) {
      throw badJwt('the token is not valid yet')
    }
    const accepted = audiences.find((one) => [aud].flat().includes(one))
    if (accepted === undefined) throw badJwt('aud is not accepted')
    if (claims['cnf'] !== undefined) throw badJwt('the token is bound to a key')
    // A token for a resource states it alone. Others have the audience of the user's own tokens.
    const isForResource = typ === 'at+jwt' && accepted.includes(':')
    if (claims.client_id !== undefined && !acceptsClients && !isForResource) {
      throw badJwt('the token is of an OAuth client')
    }
    if (typeof sub !== 'string' || sub === '') throw badJwt('the token names no user')
    return claims
  }
  return { verify }
}

const badJwt = (reason: string): VerifierError => new VerifierError('bad_jwt', reason)

const otherIssuer = (issuer: string, iss: unknown): VerifierError => {
  const found = JSON.stringify(iss)
    .slice(0, 100)
    .replace(/[^ -~]/g, '?')
  return badJwt(`iss is not the issuer: expected ${JSON.stringify(issuer)}, the token has ${found}`)
}

type FindKeys = (kid: unknown, alg: unknown) => Promise<readonly Key[]>

/** @see RFC 7518 §3.2 for the length. */
function sharedKey(secret: string): FindKeys {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < 32) throw new TypeError('secret must have at least 32 bytes')
  const imported = crypto.subtle
    .importKey('raw', bytes, algorithms['HS256'] as { name: string }, false, ['verify'])
    .then((key) => [{ id: undefined, algorithm: 'HS256', key }])
  imported.catch(() => {})
  return async (_kid, alg) => (await imported).filter(({ algorithm }) => algorithm === alg)
}

function publicKeys({ issuer, jwks, fetch: send }: VerifierOptions, now: () => Date): FindKeys {
  const isUrl = jwks === undefined || typeof jwks === 'string' || jwks instanceof URL
  const url = isUrl ? String(jwks ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`) : null
  if (url !== null && !isTrusted(new URL(url))) {
    throw new TypeError('jwks must be a URL of https, or of http at a loopback or private host')
  }
  let keys: readonly Key[] | null = null
  let fetchedAt = 0
  let triedAt = 0
  let pause = 0
  let running: Promise<void> | null = null
  let fault: unknown

  /** After the clock was set back, an instant in the future counts as long ago. */
  const isOlder = (since: number, ageMs: number): boolean => {
    const age = now().getTime() - since
    return !(age >= 0 && age < ageMs)
  }
  const areOlder = (ageMs: number): boolean => isUrl && isOlder(fetchedAt, ageMs)

  const load = async (): Promise<void> => {
    try {
      const set = isUrl ? await fetchKeySet(url ?? '', send) : jwks
      keys = await importKeys(set)
      fetchedAt = now().getTime()
      pause = pauseMs.succeeded
    } catch (error) {
      fault = error
      pause = pauseMs.failed
    }
    triedAt = now().getTime()
  }
  const refresh = async (): Promise<void> => {
    if (!running && !isOlder(triedAt, pause)) return
    running ??= load().finally(() => {
      running = null
    })
    await running
  }

  return async (kid, alg) => {
    const find = () =>
      (keys ?? []).filter(
        ({ id, algorithm }) => algorithm === alg && (kid === undefined || id === kid),
      )
    if (!keys || areOlder(freshMs)) await refresh()
    if (find().length === 0 && isUrl) await refresh()
    if (!keys || areOlder(usableMs)) {
      throw new VerifierError('keys_unavailable', 'the keys of the issuer are not available', fault)
    }
    return find()
  }
}

/**
 * Loopback and private addresses, names of a local network, and names without a dot, which no
 * public host has.
 */
const privateHost =
  /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+)+$|^\[(::1|f[cd].*|fe80:.*)\]$|^[^.:[]+$|\.(localhost|local|internal|svc|test)$/

/** Whether no network between could replace the keys, and so sign tokens. */
const isTrusted = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && privateHost.test(hostname))

async function fetchKeySet(url: string, send: VerifierOptions['fetch']): Promise<unknown> {
  const request = send ?? ((to: string, init: RequestInit) => fetch(to, init))
  const response = await request(url, {
    // Workers have no `error`.
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(requestTimeoutMs),
  })
  if (response.status !== 200) {
    throw new Error(`the request for the keys returned status ${response.status}`)
  }
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += decoder.decode(part.value, { stream: true })
    if (text.length <= maxKeySetLength) continue
    await reader?.cancel()
    throw new Error('the keys are too long')
  }
  return JSON.parse(text)
}

/**
 * Imports the keys of known algorithms. Others, and keys that the runtime does not accept, are left
 * out. @see RFC 7517 §5
 */
async function importKeys(set: unknown): Promise<Key[]> {
  const { keys } = Object(set) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new TypeError('jwks must contain keys')
  const imported: Key[] = []
  let fault: unknown
  for (const jwk of keys as unknown[]) {
    const given = Object(jwk) as Record<string, unknown>
    const { kid: id, alg, kty, use = 'sig' } = given
    // A shared secret in public keys would let every reader sign.
    if (kty === 'oct' || use !== 'sig' || typeof alg !== 'string') continue
    const parameters = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
    if (!parameters) continue
    const bare: Record<string, unknown> = {}
    for (const name of ['kty', 'crv', 'x', 'y', 'n', 'e'] as const) {
      if (given[name] !== undefined) bare[name] = given[name]
    }
    try {
      const key = await crypto.subtle.importKey('jwk', bare, parameters, false, ['verify'])
      imported.push({ id, algorithm: alg, key })
    } catch (error) {
      fault = error
    }
  }
  if (fault !== undefined && imported.length === 0) throw fault
  return imported
}

async function isSignedByOneOf(
  keys: readonly Key[],
  input: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const { algorithm, key } of keys) {
    const parameters = algorithms[algorithm] as { name: string }
    if (await crypto.subtle.verify(parameters, key, signature, input)) return true
  }
  return false
}

function decode(token: unknown) {
  const parts = typeof token === 'string' && token.length <= maxTokenLength ? token.split('.') : []
  const [header, payload, signature] = parts.map(bytesOf)
  if (parts.length !== 3 || !header || !payload || !signature) throw malformed()
  return {
    header: recordOf(header),
    claims: recordOf(payload) as AccessTokenClaims,
    input: new TextEncoder().encode(`${parts[0]}.${parts[1]}`),
    signature,
  }
}

const malformed = () => badJwt('the token is malformed')

/** Null unless the text is the only spelling of its bytes. @see RFC 7515 §2, RFC 4648 §3.5 */
function bytesOf(part: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(part) || part.length % 4 === 1) return null
  const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  const spelled = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return spelled === part ? Uint8Array.from(text, (char) => char.charCodeAt(0)) : null
}

function recordOf(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {}
  throw malformed()
}
