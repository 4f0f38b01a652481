import { expect, it } from 'vitest'
import { checkConfig } from '../check-config.ts'

const warningsWith = (security: { recentProofSeconds?: number }) =>
  checkConfig({ development: true, siteUrl: 'http://localhost:3000', security }).warnings

it('S06: warns that 0 disables the check for a recent proof', () => {
  expect(warningsWith({ recentProofSeconds: 0 })).toContainEqual(
    expect.stringMatching(/^security\.recentProofSeconds is 0: /),
  )
})

it('has a default of ten minutes, without a warning', () => {
  const { config, warnings } = checkConfig({
    development: true,
    siteUrl: 'http://localhost:3000',
  })

  expect(config.security.recentProofSeconds).toBe(600)
  expect(warnings.filter((one) => one.includes('recentProof'))).toEqual([])
  expect(warningsWith({ recentProofSeconds: 60 })).toEqual(warnings)
})
