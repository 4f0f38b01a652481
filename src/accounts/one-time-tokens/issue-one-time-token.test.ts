import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { systemRandom as random } from '../../platform/kit/random.ts'
import { issueOneTimeToken, type OneTimeTokenOrder } from './issue-one-time-token.ts'

const roots: RootKeys = { current: 'a root', all: ['a root'] }
const now = new Date('2026-03-01T12:00:00.000Z')

const order: OneTimeTokenOrder = {
  userId: '6f1f7c1e-0b57-4a39-9c39-0d3f1f7c1e0b',
  purpose: 'confirmation',
  requestedBy: 'signup',
  requestedFrom: null,
  audience: 'authenticated',
  sentTo: 'ada@example.test',
  lifetimeSeconds: 3600,
  codeLength: 6,
  codeChallenge: null,
}

const issue = (changes: Partial<OneTimeTokenOrder> = {}, chance = random, keys = roots) => {
  const issued = issueOneTimeToken({ random: chance, roots: keys }, { ...order, ...changes }, now)
  return { ...issued, row: { ...issued.row } as Record<string, unknown> }
}

describe('a one-time token', () => {
  it('has a link of 224 random bits and a code of the requested length', () => {
    const { secret, code } = issue({ codeLength: 8 })

    expect(secret).toMatch(/^[0-9a-f]{56}$/)
    expect(code).toMatch(/^[0-9]{8}$/)
    expect(issue().secret).not.toBe(issue().secret)
  })

  it('preserves leading zeros of the code', () => {
    const chance = { ...random, digits: (length: number) => '7'.padStart(length, '0') }

    expect(issue({}, chance).code).toBe('000007')
  })

  it('stores only hashes; that of the link is its SHA-256', () => {
    const { secret, code, row } = issue()

    expect(row['token_hash']).toBe(createHash('sha256').update(secret).digest('base64url'))
    expect(row['code_hash']).toMatch(/^[\w-]{22}$/)
    expect(Object.values(row)).not.toContain(secret)
    expect(Object.values(row)).not.toContain(code)
  })

  it('hashes the code with a key, so that the table does not reveal six digits', () => {
    const chance = { ...random, digits: () => '123456' }
    const otherRoots = { current: 'another root', all: ['another root'] }
    const otherUser = { userId: '00000000-0b57-4a39-9c39-0d3f1f7c1e0b' }

    const hashes = [
      issue({}, chance),
      issue(otherUser, chance),
      issue({ purpose: 'recovery' }, chance),
      issue({}, chance, otherRoots),
    ].map(({ row }) => row['code_hash'])

    expect(new Set(hashes).size).toBe(4)
    expect(hashes).not.toContain(createHash('sha256').update('123456').digest('base64url'))
    expect(issue({}, chance).row['code_hash']).toBe(hashes[0])
  })

  it('marks the link of a PKCE request, and stores its code challenge', () => {
    const codeChallenge = { value: 'x'.repeat(43), method: 's256' } as const

    const { secret, row } = issue({ codeChallenge })

    expect(secret).toMatch(/^pkce_[0-9a-f]{56}$/)
    expect(row).toMatchObject({
      token_hash: createHash('sha256').update(secret).digest('base64url'),
      code_challenge: codeChallenge.value,
      code_challenge_method: 's256',
    })
  })

  it('stores the kind of request, the recipient and the expiry', () => {
    expect(issue().row).toMatchObject({
      user_id: order.userId,
      purpose: 'confirmation',
      requested_by: 'signup',
      sent_to: 'ada@example.test',
      expires_at: '2026-03-01T13:00:00.000Z',
      created_at: '2026-03-01T12:00:00.000Z',
    })
  })
})
