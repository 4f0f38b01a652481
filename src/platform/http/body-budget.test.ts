import { describe, expect, it } from 'vitest'
import { createBodyBudget } from './body-budget.ts'

const mebibyte = 1_048_576
const spent = expect.objectContaining({ code: 'service_unavailable', status: 503 })

describe('S14: createBodyBudget', () => {
  it('rejects a body beyond the budget with Retry-After, until a share is released', () => {
    const budget = createBodyBudget(6 * mebibyte)
    const shares = ['a', 'b', 'c'].map((client) => budget.open(client))
    for (const share of shares) share.reserve(mebibyte)

    expect(() => budget.open('d').reserve(mebibyte)).toThrow(
      expect.objectContaining({ status: 503, details: { retryAfterSeconds: 1 } }),
    )
    shares[0]?.release()
    expect(() => budget.open('d').reserve(mebibyte)).not.toThrow()
  })

  it('reserves half for small bodies', () => {
    const budget = createBodyBudget(2 * mebibyte)
    budget.open('a').reserve(mebibyte)

    const small = () => budget.open(null).reserve(16_384)

    for (let count = 0; count < 64; count += 1) small()
    expect(small).toThrow(spent)
  })

  it('limits one client to a quarter, and always permits one body of the largest size', () => {
    const budget = createBodyBudget(16 * mebibyte)
    for (let count = 0; count < 4; count += 1) budget.open('a').reserve(mebibyte)

    expect(() => budget.open('a').reserve(200)).toThrow(spent)
    expect(() => budget.open('b').reserve(mebibyte)).not.toThrow()
    expect(() => createBodyBudget(mebibyte).open('a').reserve(mebibyte)).not.toThrow()
  })

  it.each([
    ['/48', (index: number) => `2001:db8:7:${index.toString(16)}00::/64`],
    ['/56', (index: number) => `2001:db8:7:${index.toString(16)}::/64`],
    ['/24', (index: number) => `192.0.2.${index}`],
  ])('S16: limits a %s to three eighths', (_, clientOf) => {
    const budget = createBodyBudget(32 * mebibyte)
    const take = (client: string) => budget.open(client).reserve(mebibyte)
    for (let count = 0; count < 12; count += 1) take(clientOf(count))

    expect(() => take(clientOf(13))).toThrow(spent)
    expect(() => take('2001:db8:8:1::/64')).not.toThrow()
    expect(() => take('203.0.113.1')).not.toThrow()
  })

  it('S16: reserves the last fifth for networks without a share', () => {
    const budget = createBodyBudget(32 * mebibyte)
    const take = (client: string) => budget.open(client).reserve(mebibyte)
    for (let count = 0; count < 12; count += 1) take(`192.0.${count % 2}.${count}`)

    expect(() => take('192.0.0.20')).toThrow(spent)
    for (let count = 0; count < 4; count += 1) take(`203.0.${count}.1`)
    expect(() => take('198.51.100.1')).toThrow(spent)
    expect(() => budget.open('198.51.100.1').reserve(16_384)).not.toThrow()
  })

  it('does not count a growing share as another body of its network', () => {
    const budget = createBodyBudget(2 * mebibyte)
    budget.open('192.0.2.1').reserve(mebibyte)
    const share = budget.open('203.0.113.1')
    share.reserve(8_000)
    expect(() => share.reserve(16_000)).not.toThrow()
  })

  it('counts a share that grows once, and releases it once', () => {
    const budget = createBodyBudget(mebibyte)
    const share = budget.open('a')
    for (const bytes of [1_000, 500_000, 400_000, mebibyte]) share.reserve(bytes)
    share.release()
    share.release()

    const next = budget.open('a')
    next.reserve(mebibyte)
    expect(() => budget.open('b').reserve(1)).toThrow(spent)
  })
})
