import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// The compiler permits no token without a `RequestedAddress`, and no stored token without
// `TokenRows`, except by a cast.

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))

const filesWith = (text: string): string[] =>
  sources
    .filter((file) => file.text.includes(text))
    .map(({ path }) => path)
    .toSorted()

describe('S02: an address', () => {
  it('is requested by one function', () => {
    expect(filesWith('as RequestedAddress')).toEqual(['accounts/addresses/request-address.ts'])
  })

  it('receives a token from one function, which requires the request', () => {
    expect(filesWith('issueOneTimeToken(')).toEqual([
      'accounts/addresses/token-message.ts',
      'accounts/one-time-tokens/issue-one-time-token.ts',
    ])
    expect(filesWith('as TokenRows')).toEqual(['accounts/addresses/token-message.ts'])
  })

  it('competes in every statement that stores a token', () => {
    const storing = filesWith("insertRows('one_time_tokens'")

    expect(storing).toHaveLength(3)
    expect(filesWith('contestAccounts(sql')).toEqual(expect.arrayContaining(storing))
  })
})

describe('the approval of a new user', () => {
  it('is created by one function', () => {
    expect(filesWith('as Approval')).toEqual(['accounts/lifecycle/create-user.ts'])
  })
})
