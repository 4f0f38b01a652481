import { openFactorSecret, resealFactorSecret } from '../../../accounts/factors/factor-secret.ts'
import { findTotpStep, newTotpSecret, totpQrCode, totpUri } from '../../../accounts/factors/totp.ts'
import { unlimited } from '../../../limits/send-limits.ts'
import { type CodeOutput, type FactorKind, readCode } from './factor-kind.ts'

/** An authenticator app. @see RFC 6238 */
export const totp: FactorKind<CodeOutput> = {
  newSecret: newTotpSecret,
  presentSecret: async (secret, label) => {
    const uri = totpUri(label, secret)
    return { qrCode: await totpQrCode(uri), secret, uri }
  },
  prepareChallenge: () => ({
    codeHash: null,
    challengeHash: null,
    messages: [],
    limits: unlimited,
  }),
  readOutput: readCode,
  verify: async ({ roots, clock }, { factor, output, counted }) => {
    const { secret, last_used_step: lastUsedStep } = counted
    if (secret === null) return null
    const opened = openFactorSecret(roots, factor.id, secret)
    const step = await findTotpStep(opened, output.code, { now: clock.now(), lastUsedStep })
    if (step === null) return null
    const resealed = resealFactorSecret(roots, factor.id, secret)
    return { factorId: factor.id, change: { last_used_step: step }, resealed }
  },
}
