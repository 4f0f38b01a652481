import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { presentRecoveryCodes } from '../../http/present-factor.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
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

/** `GET /factors/recovery-codes`: how many are left. */
export function getRecoveryCodesRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, getRecoveryCodesEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))

    return presentRecoveryCodes(await getRecoveryCodes(ctx, caller))
  })
}

/** `POST /factors/recovery-codes`: generates them. */
export function generateRecoveryCodesRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, generateRecoveryCodesEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, generateRecoveryCodesEndpoint.limit)
    const input = await readInput(event, generateRecoveryCodesEndpoint)

    return presentGenerated(await generateRecoveryCodes(ctx, caller, input))
  })
}

/** `POST /factors/recovery-codes/verify`: spends one. */
export function verifyRecoveryCodeRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyRecoveryCodeEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, verifyRecoveryCodeEndpoint.limit)
    const { code } = await readInput(event, verifyRecoveryCodeEndpoint)

    const { user, session } = await verifyRecoveryCode(ctx, caller, code)
    return presentSession(presentUser(user), session)
  })
}

/** `POST /factors/recovery-codes/regenerate`: generates others in their place. */
export function regenerateRecoveryCodesRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, regenerateRecoveryCodesEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, regenerateRecoveryCodesEndpoint.limit)

    return presentGenerated(await regenerateRecoveryCodes(ctx, caller))
  })
}

/** `DELETE /factors/recovery-codes`: removes them. */
export function unenrollRecoveryCodesRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, unenrollRecoveryCodesEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))

    return { id: await unenrollRecoveryCodes(ctx, caller) }
  })
}

const presentGenerated = ({ id, friendlyName, codes }: GeneratedRecoveryCodes) => ({
  id,
  type: 'recovery_code',
  friendly_name: friendlyName ?? '',
  total: codes.length,
  codes,
})
