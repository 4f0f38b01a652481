import { describe, expect, it } from 'vitest'
import type { Identity } from '../users/user.ts'
import { suspendedIdentity, suspendedPasskey } from './reject-suspended-credential.ts'

describe('the name of a suspended credential', () => {
  const labelOf = (friendly_name: string) => suspendedPasskey({ id: '1', friendly_name }).label

  it.each(['My laptop', 'iPhone 15', 'O’Neil 2024'])('is shown: %s', (name) => {
    expect(labelOf(name)).toBe(`Passkey (${name})`)
  })

  it.each([
    'Call 1 800 555 0199 to unlock your account',
    'Call 1-800-555-0199',
    'Call (0) 123/45',
    'Call ٠١٢٣٤',
    'Visit 93.184.216.34 now',
    'Visit 1.1 now',
    'Visit evil.example now',
  ])('is left out with a number or a link: %s', (name) => {
    expect(labelOf(name)).toBe('Passkey')
  })

  it('contains the address of a wallet', () => {
    const address = '0x1234567890123456789012345678901234567890'
    const identity = { id: '1', provider: 'web3', identityData: { custom_claims: { address } } }
    const { label } = suspendedIdentity(identity as unknown as Identity, 'Ethereum')
    expect(label).toBe(`Ethereum (${address})`)
  })
})
