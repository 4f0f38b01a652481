import { createAuth } from 'latchkey'
import { jwkTokenKey } from '../../../src/credentials/access-tokens/token-key.ts'
import { signJws } from '../../../src/platform/kit/jws.ts'
import { accessTokenClaimsOf } from '../../kit/access-token.ts'
import { answerQuestions } from '../../kit/answer-questions.ts'
import { bareVerify } from '../../kit/bare-verify.ts'
import { type Algorithm, newSigningKey } from '../../kit/signing-keys.ts'

// `auth.verifyToken` beside node:crypto's part of it. No server listens at the address of the
// database, so a query would fail.

/** Microseconds per token. */
export interface VerifyFigures {
  /** For a token that is used repeatedly, as clients do for its lifetime. */
  ours: number
  /** For a token at its first use. */
  first: number
  bare: number
}

/** The ratio of new tokens: one in this number. */
const newShare = 40

const preparations = new Map<Algorithm, Awaited<ReturnType<typeof prepare>>>()

answerQuestions({
  verify: async ({ algorithm, count }: { algorithm: Algorithm; count: number }) => {
    const prepared = preparations.get(algorithm) ?? (await prepare(algorithm))
    preparations.set(algorithm, prepared)
    const { auth, token, sign, bare } = prepared
    const ours = await microsOf(count, () => auth.verifyToken(token))
    const fresh = await Promise.all(Array.from({ length: count / newShare }, sign))
    const first = await microsOf(fresh.length, () => auth.verifyToken(fresh.pop() ?? ''))
    return { ours, first, bare: await microsOf(count, bare) }
  },
})

async function prepare(algorithm: Algorithm) {
  const jwk = newSigningKey(algorithm)
  const { signing } = jwkTokenKey(jwk)
  if (!signing) throw new Error(`${algorithm}: no private key`)
  const auth = createAuth({
    siteUrl: 'https://app.example.test',
    database: 'postgres://nobody@127.0.0.1:1/nowhere',
    jwt: { keys: [jwk] },
    encryptionKey: 'an encryption key of a bench of more than 32 bytes',
    email: { autoconfirm: true },
  })
  let tokens = 0
  const sign = () => {
    tokens += 1
    return signJws(signing, { typ: 'JWT', kid: 'bench' }, accessTokenClaimsOf(tokens))
  }
  const token = await sign()
  return { auth, token, sign, bare: bareVerify(algorithm, jwk, token) }
}

async function microsOf(count: number, act: () => unknown): Promise<number> {
  const startedAt = performance.now()
  for (let left = count; left > 0; left -= 1) await act()
  return ((performance.now() - startedAt) * 1000) / count
}
