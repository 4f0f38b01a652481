import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// The compiler lets no token be made without a `RequestedAddress`, and none be stored without `TokenRows`. A cast is the
// one way around it.

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

  it('gets a token from one function, which requires the request', () => {
    expect(filesWith('issueOneTimeToken(')).toEqual([
      'accounts/addresses/token-message.ts',
      'accounts/one-time-tokens/issue-one-time-token.ts',
    ])
    expect(filesWith('as TokenRows')).toEqual(['accounts/addresses/token-message.ts'])
  })

  it('competes in every statement that stores a token', () => {
    const storing = filesWith("insertRows('one_time_tokens'")

    expect(storing).toHaveLength(3)
    expect(filesWith('contestHolders(sql')).toEqual(expect.arrayContaining(storing))
  })
})

describe('the approval of a new user', () => {
  it('is made by one function', () => {
    expect(filesWith('as Approval')).toEqual(['accounts/lifecycle/approve-new-user.ts'])
  })
})
