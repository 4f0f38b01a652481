import type { ChallengedFactorType } from '../../../platform/factor-kinds/factor-kinds.ts'
import { email } from './email.ts'
import type { FactorKind } from './factor-kind.ts'
import { phone } from './phone.ts'
import { securityKey } from './security-key.ts'
import { totp } from './totp.ts'

/** The kinds of second factor that a challenge verifies, by their type. */
const factorKinds: Readonly<Record<ChallengedFactorType, FactorKind>> = {
  totp,
  phone,
  webauthn: securityKey,
  email,
}

export const factorKind = (type: ChallengedFactorType): FactorKind => factorKinds[type]
