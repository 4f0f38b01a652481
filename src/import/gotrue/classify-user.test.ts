import { expect, it } from 'vitest'
import type { Identity, User } from '../../accounts/users/user.ts'
import type { Config } from '../../platform/config/config.ts'
import { findExcess } from './classify-user.ts'

const config = { security: { maxMetadataBytes: 4096 } } as Config

const userWith = (count: number) =>
  ({
    identities: Array.from({ length: count }, (_, at) => {
      return { id: `${at}`, provider: 'github', subject: `${at}`, identityData: {} } as Identity
    }),
    userMetadata: {},
    appMetadata: {},
  }) as User

it('S97: rejects a user of the source with more identities than a user has otherwise', () => {
  expect(findExcess(config, userWith(50))).toBeNull()
  expect(findExcess(config, userWith(51))?.code).toBe('too_many_identities')
})
