import { presentRecoveryCodes } from '../../accounts/factors/recovery-code.ts'
import { implement } from '../http/implement.ts'
import { presentSignedIn } from '../http/present-signed-in.ts'
import { generateRecoveryCodes, regenerateRecoveryCodes } from './generate-recovery-codes.ts'
import { getRecoveryCodes, unenrollRecoveryCodes } from './own-recovery-codes.ts'
import {
  type GeneratedRecoveryCodes,
  generateRecoveryCodesEndpoint,
  getRecoveryCodesEndpoint,
  regenerateRecoveryCodesEndpoint,
  unenrollRecoveryCodesEndpoint,
  verifyRecoveryCodeEndpoint,
} from './recovery-codes.endpoint.ts'
import { verifyRecoveryCode } from './verify-recovery-code.ts'

const presentGenerated = ({ id, friendlyName, codes }: GeneratedRecoveryCodes) => ({
  id,
  type: 'recovery_code',
  friendly_name: friendlyName ?? '',
  total: codes.length,
  codes,
})

export const recoveryCodesRoutes = [
  implement(getRecoveryCodesEndpoint, {
    run: ({ ctx, caller }) => getRecoveryCodes(ctx, caller),
    present: presentRecoveryCodes,
  }),
  implement(generateRecoveryCodesEndpoint, {
    run: ({ ctx, caller, input }) => generateRecoveryCodes(ctx, caller, input),
    present: presentGenerated,
  }),
  implement(verifyRecoveryCodeEndpoint, {
    run: ({ ctx, caller, input }) => verifyRecoveryCode(ctx, caller, input.code),
    present: presentSignedIn,
  }),
  implement(regenerateRecoveryCodesEndpoint, {
    run: ({ ctx, caller }) => regenerateRecoveryCodes(ctx, caller),
    present: presentGenerated,
  }),
  implement(unenrollRecoveryCodesEndpoint, {
    run: ({ ctx, caller }) => unenrollRecoveryCodes(ctx, caller),
    present: (id) => ({ id }),
    returns: () => undefined,
  }),
] as const
