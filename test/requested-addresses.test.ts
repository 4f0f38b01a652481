import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// The compiler permits no token without a `RequestedAddress`, and no stored token without
// `TokenRows`, except by a cast.

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))

const filesWith = (text: string | RegExp): string[] =>
  sources
    .filter((file) => file.text.split(text).length > 1)
    .map(({ path }) => path)
    .toSorted()

/** Returns the files that cast to a type, or to a type around it such as a promise. */
const castingTo = (type: string): string[] => filesWith(new RegExp(`\\bas (?:\\w+<)*${type}\\b`))

describe('S02: an address', () => {
  it('is requested by one function', () => {
    expect(castingTo('RequestedAddress')).toEqual(['accounts/addresses/request-address.ts'])
  })

  it('receives a token from one function, which requires the request', () => {
    expect(filesWith('issueOneTimeToken(')).toEqual([
      'accounts/addresses/token-message.ts',
      'accounts/one-time-tokens/issue-one-time-token.ts',
    ])
    expect(castingTo('TokenRows')).toEqual(['accounts/addresses/token-message.ts'])
  })

  it('competes in every statement that stores a token', () => {
    const storing = filesWith("insertRows('one_time_tokens'")

    expect(storing).toHaveLength(3)
    expect(filesWith('contestAccounts(sql')).toEqual(expect.arrayContaining(storing))
  })
})

describe('the approval of a new user', () => {
  it('is created by one function', () => {
    expect(castingTo('Approval')).toEqual(['accounts/lifecycle/create-user.ts'])
  })
})
