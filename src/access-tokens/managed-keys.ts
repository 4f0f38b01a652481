import { generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '../kit/clock.ts'
import type { RootKeys } from '../kit/derived-keys.ts'
import { jsonRows, type Queryable } from '../kit/queryable.ts'
import type { Random } from '../kit/random.ts'
import { seal, unseal } from '../kit/sealed-box.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import {
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  type SigningKeyRow,
} from './signing-keys.sql.ts'
import { jwkTokenKey } from './token-key.ts'

/** Algorithms that Latchkey makes keys for. */
export type ManagedAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

interface Needs {
  sql: Queryable
  transaction<T>(work: (unit: { sql: Queryable }) => Promise<T>): Promise<T>
  clock: Clock
  random: Random
  /** Encrypts the private halves; null in development, where they are stored as they are. */
  encryption: RootKeys | null
}

/**
 * The ring of the keys that Latchkey makes and keeps itself. The first is made when there is none;
 * of several processes that start at once, one makes it.
 */
export async function loadManagedKeys(needs: Needs, algorithm: ManagedAlgorithm): Promise<KeyRing> {
  const stored = await findSigningKeys(needs.sql)
  const rows = stored.length > 0 ? stored : await makeFirst(needs, algorithm)
  const keys = rows.map((row) => jwkTokenKey(openKey(needs, row)))
  const [newest] = keys
  if (!newest) throw new Error('no signing key could be made')
  return createKeyRing(keys, newest)
}

async function makeFirst(needs: Needs, algorithm: ManagedAlgorithm): Promise<SigningKeyRow[]> {
  const row = await newKeyRow(needs, algorithm)
  return needs.transaction(async ({ sql }) => {
    await lockSigningKeys(sql)
    const stored = await findSigningKeys(sql)
    if (stored.length > 0) return stored
    await insertSigningKey(sql, jsonRows(row))
    return findSigningKeys(sql)
  })
}

async function newKeyRow({ clock, random, encryption }: Needs, algorithm: ManagedAlgorithm) {
  const id = random.uuid()
  const { publicKey, privateKey } = await generate(algorithm)
  const asJwk = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), kid: id, alg: algorithm })
  const privateText = JSON.stringify(asJwk(privateKey))
  const now = clock.now().toISOString()
  return {
    id,
    algorithm,
    public_jwk: asJwk(publicKey),
    private_jwk: encryption ? seal(encryption, id, privateText) : privateText,
    signs_from: now,
    retired_at: null,
    created_at: now,
  }
}

const openKey = ({ encryption }: Needs, { id, private_jwk: stored }: SigningKeyRow): JsonWebKey =>
  JSON.parse(encryption ? unseal(encryption, id, stored) : stored)

const generateKeys = promisify(generateKeyPair)

function generate(algorithm: ManagedAlgorithm) {
  if (algorithm === 'RS256') return generateKeys('rsa', { modulusLength: 2048 })
  if (algorithm === 'ES256') return generateKeys('ec', { namedCurve: 'P-256' })
  return generateKeys('ed25519')
}
