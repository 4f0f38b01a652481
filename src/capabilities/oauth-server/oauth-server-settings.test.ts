import { describe, expect, it } from 'vitest'
import { minimal } from '../../../test/support/config-problems.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

const warningsWith = (changes: AuthConfig) =>
  checkConfig({ ...minimal, ...changes }).warnings.filter((text) =>
    /^(oauthServer|jwt.issuer)/.test(text),
  )
const externalUrl = 'https://auth.example.com'

describe('the settings of the OAuth server', () => {
  it('cause a warning without a consent page', () => {
    const oauthServer = { enabled: true }

    expect(warningsWith({ oauthServer })).toEqual([
      expect.stringMatching(/^oauthServer.authorizationPath is not set, .* pages.enabled$/),
    ])
    for (const changes of [
      { oauthServer: { enabled: false } },
      { oauthServer: { ...oauthServer, authorizationPath: '/consent' } },
      { oauthServer, externalUrl, pages: { enabled: true } },
    ]) {
      expect(warningsWith(changes)).toEqual([])
    }
  })

  it('cause a warning where the issuer is not the external URL', () => {
    const warningsOf = (issuer: string, enabled = true) =>
      warningsWith({
        externalUrl,
        jwt: { ...minimal.jwt, issuer },
        oauthServer: { enabled, authorizationPath: '/consent' },
      })

    expect(warningsOf('https://other.example.com')).toEqual([
      expect.stringMatching(
        /^jwt.issuer is https:\/\/other.example.com, .* externalUrl \(https:\/\/auth.example.com\)/,
      ),
    ])
    expect(warningsOf('https://other.example.com', false)).toEqual([])
    expect(warningsOf(`${externalUrl}/`)).toEqual([])
  })
})
