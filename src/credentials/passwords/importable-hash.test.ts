import { expect, it } from 'vitest'
import { requireImportableHash } from './hash-schemes.ts'

const salt = 'c29tZSBzYWx0IG9mIDE2'
const digest = 'A'.repeat(43)
const phc = (kind: string, parameters: string, saltText = salt, hashText = digest) =>
  `$${kind}$v=19$${parameters}$${saltText}$${hashText}`

it.each([
  phc('argon2id', 'm=19456,t=2,p=1'),
  phc('argon2i', 'm=8,t=1,p=1'),
  phc('argon2d', 'm=65536,t=3,p=4'),
  phc('argon2id', 'm=1048576,t=20,p=16'),
])('accepts %s', (hash) => {
  expect(requireImportableHash(hash)).toBe(hash)
})

it.each([
  ['memory beyond the bound', phc('argon2id', 'm=1048577,t=1,p=1')],
  ['iterations beyond the bound', phc('argon2id', 'm=64,t=21,p=1')],
  ['parallelism beyond the bound', phc('argon2id', 'm=64,t=1,p=17')],
  ['memory of many digits', phc('argon2id', `m=${'9'.repeat(40)},t=1,p=1`)],
  ['memory with an exponent', phc('argon2id', 'm=1e3,t=1,p=1')],
  ['another version', phc('argon2id', 'm=64,t=1,p=1').replace('v=19', 'v=16')],
  ['another order of parameters', phc('argon2id', 't=1,m=64,p=1')],
  ['a key id', phc('argon2id', 'm=64,t=1,p=1,keyid=AAAA')],
  ['no salt', phc('argon2id', 'm=64,t=1,p=1', '')],
  ['no hash', phc('argon2id', 'm=64,t=1,p=1', salt, '')],
  ['a huge hash', phc('argon2id', 'm=64,t=1,p=1', salt, 'A'.repeat(5000))],
  ['a line break at the end', `${phc('argon2id', 'm=64,t=1,p=1')}\n`],
  ['an unknown kind', phc('argon2x', 'm=64,t=1,p=1')],
  ['a clear password', 'correct horse'],
  ['nothing', ''],
])('rejects %s, without quoting it', (_case, hash) => {
  const refuse = () => requireImportableHash(hash)

  expect(refuse).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      message: 'password_hash: is not a supported hash format',
    }),
  )
})
