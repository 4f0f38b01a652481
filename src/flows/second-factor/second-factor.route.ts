import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { challengeFactor } from './challenge-factor.ts'
import { enrollFactor } from './enroll-factor.ts'
import type { EnrolledFactor } from './enrolled-factor.ts'
import {
  challengeFactorEndpoint,
  enrollFactorEndpoint,
  unenrollFactorEndpoint,
  verifyFactorEndpoint,
} from './second-factor.endpoint.ts'
import { unenrollFactor } from './unenroll-factor.ts'
import { verifyFactor } from './verify-factor.ts'

/** `POST /factors`: begins to enroll a second factor. */
export function enrollFactorRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, enrollFactorEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, enrollFactorEndpoint.limit)
    const input = await readInput(event, enrollFactorEndpoint)

    const factor = await enrollFactor(ctx, caller, input)
    return presentEnrolled(factor, input.phone)
  })
}

/** A phone is answered as it was sent. */
const presentEnrolled = (
  { id, factorType, friendlyName, totp }: EnrolledFactor,
  phone?: string,
) => ({
  id,
  type: factorType,
  friendly_name: friendlyName ?? '',
  ...(factorType === 'phone' && { phone }),
  ...(totp && { totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri } }),
})

/** `POST /factors/{factor_id}/challenge`: begins to prove a second factor. */
export function challengeFactorRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, challengeFactorEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, challengeFactorEndpoint.limit)
    const { channel } = await readInput(event, challengeFactorEndpoint)

    const challenge = await challengeFactor(ctx, caller, readPathId(event, 'factor_id'), channel)
    const { id, factorType, expiresAt, webAuthn } = challenge
    return {
      id,
      type: factorType,
      expires_at: Math.floor(expiresAt.getTime() / 1000),
      ...(webAuthn && {
        webauthn: {
          type: webAuthn.type,
          credential_options: { publicKey: webAuthn.options },
        },
      }),
    }
  })
}

/** `POST /factors/{factor_id}/verify`: proves a second factor. */
export function verifyFactorRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyFactorEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, verifyFactorEndpoint.limit)
    const { webAuthn, ...proof } = await readInput(event, verifyFactorEndpoint)

    const factorId = readPathId(event, 'factor_id')
    const { user, session } = await verifyFactor(ctx, caller, factorId, {
      ...proof,
      ...(webAuthn && {
        webAuthn: { type: webAuthn['type'], credential: webAuthn['credential_response'] },
      }),
    })
    return presentSession(presentUser(user), session)
  })
}

/** `DELETE /factors/{factor_id}`: removes a second factor. */
export function unenrollFactorRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, unenrollFactorEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))

    return { id: await unenrollFactor(ctx, caller, readPathId(event, 'factor_id')) }
  })
}
