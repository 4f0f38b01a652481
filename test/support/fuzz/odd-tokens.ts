import type { Dice } from './dice.ts'
import { canary, oddText, oddValue } from './odd-values.ts'
import { makeKey, makeToken, publicForms, sharedSecret, type TestKey } from './token-maker.ts'

/** The material of tokens: valid claims, the service's keys, and its other tokens. */
export interface TokenMaterial {
  claims: Record<string, unknown>
  keys: readonly TestKey[]
  refreshToken: string
}

const foreignKey = makeKey('ES256', 'stranger', true)

/** Returns tokens that must not be accepted. */
export function forgedTokens({ claims, keys, refreshToken }: TokenMaterial): string[] {
  const right = makeToken({ typ: 'JWT' }, claims, sharedSecret)
  const [head = '', body = '', signature = ''] = right.split('.')
  const foreign = { alg: 'ES256', key: foreignKey.privateKey }
  const jwk = foreignKey.publicKey.export({ format: 'jwk' })
  return [
    ...['none', 'None', 'nOnE', 'NONE', ''].flatMap((alg) => [
      makeToken({ alg, typ: 'JWT' }, claims, null),
      `${makeToken({ alg, typ: 'JWT' }, claims, null)}${signature}`,
      ...keys.map(({ kid }) => makeToken({ alg, kid }, claims, null)),
    ]),
    ...keys.flatMap((key) =>
      publicForms(key).flatMap((secret) => [
        makeToken({ kid: key.kid }, claims, { alg: 'HS256', key: secret }),
        makeToken({}, claims, { alg: 'HS256', key: secret }),
      ]),
    ),
    ...keys.flatMap(({ kid }) => [
      makeToken({ kid }, claims, sharedSecret),
      makeToken({ kid }, claims, foreign),
      makeToken({ kid, alg: 'RS256' }, claims, foreign),
    ]),
    ...['HS512', 'HS384'].map((alg) => makeToken({}, claims, { ...sharedSecret, alg })),
    makeToken({}, claims, { alg: 'HS256', key: `another secret of more than 32 bytes ${canary}` }),
    makeToken({ jwk, kid: 'stranger' }, claims, foreign),
    makeToken({ jku: 'https://evil.test/jwks.json', x5u: 'https://evil.test' }, claims, foreign),
    makeToken({ typ: 'dpop+jwt' }, claims, sharedSecret),
    makeToken({}, { ...claims, exp: 1 }, sharedSecret),
    makeToken({}, { ...claims, nbf: 9_999_999_999 }, sharedSecret),
    makeToken({}, { ...claims, aud: 'somebody else' }, sharedSecret),
    `${head}.${body}.`,
    `${head}.${body}`,
    `${head}..${signature}`,
    `.${body}.${signature}`,
    `${head}.${body}.${signature.slice(0, -2)}`,
    `${head}.${body}.${signature}A`,
    `${right}.${signature}`,
    `${head}.${makeToken({}, { ...claims, role: 'supabase_admin' }, null).split('.')[1]}.${signature}`,
    refreshToken,
  ]
}

/** Returns a value of the `Authorization` header; only some of them contain a token. */
export function oddAuthorization(
  dice: Dice,
  material: TokenMaterial,
  forged: readonly string[],
): string {
  const right = makeToken({}, material.claims, sharedSecret)
  return dice.pick([
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'bearer\t',
    'Basic dTpw',
    `Basic ${canary}`,
    'Bearer null',
    '\xff',
    `Bearer ${canary}`,
    `Bearer  ${right}`,
    `Bearer ${right} x`,
    `Bearer ${right}, Bearer ${right}`,
    `Token ${right}`,
    right,
    `Bearer\t${right}`,
    `Bearer "${right}"`,
    `BEARER ${right}\xe9`,
    `Bearer ${'a'.repeat(100_000)}`,
    `Bearer a.${'b'.repeat(100_000)}.c`,
    `Bearer ${'.'.repeat(9000)}`,
    `Bearer ${dice.pick(forged)}`,
    `Bearer ${dice.pick(forged)}`,
    `Bearer ${oddlyFilledToken(dice, material)}`,
    `Bearer ${oddlyFilledToken(dice, material)}`,
  ])
}

const headerNames = ['kid', 'typ', 'alg', 'crit', 'cty', 'b64', 'jwk', 'x5c', '__proto__']
const claimNames = [
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'iss',
  'role',
  'session_id',
  'email',
  'amr',
  'aal',
  '__proto__',
  'app_metadata',
  'is_anonymous',
]

/** Returns a token with a valid signature and an unexpected value in one place. */
function oddlyFilledToken(dice: Dice, { claims }: TokenMaterial): string {
  if (dice.chance(10)) return makeToken({}, dice.pick(notClaims), sharedSecret)
  if (dice.chance(10)) return makeToken(dice.pick(notHeaders), claims, null)
  const value = dice.pick([oddValue(dice), oddText(dice), [oddText(dice)], [oddValue(dice)]])
  if (dice.chance(30)) return makeToken({ [dice.pick(headerNames)]: value }, claims, sharedSecret)
  return makeToken({}, { ...claims, [dice.pick(claimNames)]: value }, sharedSecret)
}

const notClaims = [
  '',
  'null',
  '[]',
  '5',
  '"a"',
  '{',
  '\xff',
  '{}',
  '{"exp":1e400}',
  `{"a":${'['.repeat(9000)}`,
]
const notHeaders = [
  '',
  'null',
  '[]',
  '{',
  '{"alg":["HS256"]}',
  '{"alg":null}',
  '\xff',
  '{"alg":{}}',
]
