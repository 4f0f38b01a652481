import { generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { ManagedAlgorithm } from '../../platform/config/sections/tokens.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import type { Random } from '../../platform/kit/random.ts'
import { seal, unseal } from '../../platform/kit/sealed-box.ts'
import type { SigningKeyRow } from './signing-keys.sql.ts'

interface Needs {
  random: Random
  /**
   * The root keys that encrypt private keys; null in development, where private keys are stored in
   * clear text.
   */
  encryption: RootKeys | null
}

/** Generates a key and returns the row that stores it. */
export async function newSigningKeyRow(
  { random, encryption }: Needs,
  algorithm: ManagedAlgorithm,
  { now, signsFrom }: { now: Date; signsFrom: Date },
) {
  const id = random.uuid()
  const { publicKey, privateKey } = await generate(algorithm)
  const asJwk = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), kid: id, alg: algorithm })
  const privateText = JSON.stringify(asJwk(privateKey))
  return {
    id,
    algorithm,
    public_jwk: asJwk(publicKey),
    private_jwk: encryption ? seal(encryption, signingKeyBox(id), privateText) : privateText,
    signs_from: signsFrom.toISOString(),
    retired_at: null,
    created_at: now.toISOString(),
  }
}

/** Returns the private key of a stored row. */
export const openSigningKey = (
  encryption: RootKeys | null,
  { id, private_jwk: stored }: SigningKeyRow,
): JsonWebKey => {
  if (encryption) return JSON.parse(unseal(encryption, signingKeyBox(id), stored))
  if (stored.startsWith('v2.')) throw sealedForOthers()
  return JSON.parse(stored)
}

/** A service with a root key has created the key; that of development has none of its own. */
const sealedForOthers = (): ConfigError =>
  new ConfigError([
    {
      path: 'encryptionKey',
      message:
        'is required: the signing keys of this database are encrypted. Set it (AUTH_ENCRYPTION_KEY) to the root key ' +
        'of the service that created them, or use another database',
    },
  ])

/** The encryption context of a private key. */
export const signingKeyBox = (id: string): string => id

const generateKeys = promisify(generateKeyPair)

function generate(algorithm: ManagedAlgorithm) {
  if (algorithm === 'RS256') return generateKeys('rsa', { modulusLength: 2048 })
  if (algorithm === 'ES256') return generateKeys('ec', { namedCurve: 'P-256' })
  return generateKeys('ed25519')
}
