import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

// A rule of authentication that is decided in two places differs after the next change. These lists
// name each place, so that a new one is a deliberate decision.

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))

const filesWith = (text: RegExp): string[] =>
  sources
    .filter((file) => text.test(file.text))
    .map(({ path }) => path)
    .toSorted()

describe('the targets of redirects', () => {
  it('are compared with the allow-list in one place', () => {
    expect(filesWith(/\.allowList\b/).filter((path) => !path.includes('settings'))).toEqual([
      'limits/redirects/allowed-redirect.ts',
      'limits/redirects/explain-redirect.ts',
      'platform/config/rules/weak-protection.ts',
    ])
  })

  it('are decided about in the folder of each endpoint that accepts one', () => {
    const deciding = filesWith(
      /\b(?:allowedRedirect|create(?:Authorization|Linking)Request)\(/,
    ).map(dirname)
    const accepting = filesWith(/\bredirect_to\b|\bredirectTo\b/)
      .filter((path) => path.endsWith('.endpoint.ts'))
      .map(dirname)
    expect(accepting.length).toBeGreaterThan(7)
    expect(accepting.filter((folder) => !deciding.includes(folder))).toEqual([])
  })
})

describe('values of a single use', () => {
  const tables =
    'one_time_tokens|authorization_codes|challenges|web_authn_challenges|oauth_states|recovery_codes|oauth_spent_proofs'

  it('are spent in these statements', () => {
    const spent = `(?:delete from|update) \\$\\{sql\\.table\\('(?:${tables})'\\)`
    expect(filesWith(new RegExp(spent))).toEqual([
      'accounts/addresses/store-request.sql.ts',
      'accounts/factors/challenges.sql.ts',
      'accounts/factors/factors.sql.ts',
      'accounts/lifecycle/pass-challenge.sql.ts',
      'accounts/lifecycle/pass-recovery-code.sql.ts',
      'accounts/lifecycle/replace-recovery-codes.sql.ts',
      'accounts/one-time-tokens/one-time-tokens.sql.ts',
      'accounts/passkeys/challenges.sql.ts',
      'accounts/passkeys/passkeys.sql.ts',
      'accounts/sessions/open-session.sql.ts',
      'credentials/oauth-states/oauth-states.sql.ts',
    ])
  })

  it('end with an account in these statements', () => {
    expect(filesWith(/\bdelete(?:Tokens|Codes)Of\b/)).toEqual([
      'accounts/lifecycle/end-parts.sql.ts',
      'accounts/lifecycle/erase-rows.sql.ts',
      'accounts/lifecycle/save-user.sql.ts',
      'accounts/one-time-tokens/one-time-tokens.sql.ts',
    ])
  })

  it('are not spent beside the statements', () => {
    expect(filesWith(/\b(?:nativeDelete|nativeUpdate|removeAndFlush)\b/)).toEqual([])
  })
})
