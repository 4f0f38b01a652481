import type { H3, H3Event } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { checkInput } from '../../http/check-input.ts'
import { Text, Uuid } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { readJson, readOptionalJson } from '../../http/read-json.ts'
import { readBearer } from '../../http/read-request.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { challengeFactor } from './challenge-factor.ts'
import { enrollFactor } from './enroll-factor.ts'
import type { EnrolledFactor } from './enrolled-factor.ts'
import { unenrollFactor } from './unenroll-factor.ts'
import { verifyFactor } from './verify-factor.ts'

/** Body of `POST /factors`, as it travels. */
const EnrollmentBody = object({ factor_type: Text, friendly_name: Text, issuer: Text, phone: Text })

/** `POST /factors`: begins to enroll a second factor. */
export function enrollFactorRoute(app: H3, deps: Deps): void {
  app.post('/factors', async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, 'factor_enroll')
    const body = checkInput(await readJson(event), EnrollmentBody)

    const factor = await enrollFactor(ctx, caller, {
      factorType: body.factor_type,
      friendlyName: body.friendly_name,
      issuer: body.issuer,
      phone: body.phone,
    })
    return presentEnrolled(factor, body.phone)
  })
}

/** A phone is answered as it was sent. */
const presentEnrolled = (
  { id, factorType, friendlyName, totp }: EnrolledFactor,
  phone?: string,
) => ({
  ...{ id, type: factorType, friendly_name: friendlyName ?? '' },
  ...(factorType === 'phone' && { phone }),
  ...(totp && { totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri } }),
})

/** Body of the route below, which apps have no use for. */
const ChallengeBody = object({ channel: Text })

/** `POST /factors/{factor_id}/challenge`: begins to prove a second factor. */
export function challengeFactorRoute(app: H3, deps: Deps): void {
  app.post('/factors/:factor_id/challenge', async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, 'factor_challenge')
    const body = checkInput(await readOptionalJson(event), ChallengeBody)

    const challenge = await challengeFactor(ctx, caller, readFactorId(event), body.channel)
    const { id, factorType, expiresAt } = challenge
    return { id, type: factorType, expires_at: Math.floor(expiresAt.getTime() / 1000) }
  })
}

/** Body of the route below. */
const ProofBody = object({ challenge_id: Uuid, code: Text })

/** `POST /factors/{factor_id}/verify`: proves a second factor. */
export function verifyFactorRoute(app: H3, deps: Deps): void {
  app.post('/factors/:factor_id/verify', async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, 'factor_verify')
    const body = checkInput(await readJson(event), ProofBody)

    const proof = { challengeId: body.challenge_id, code: body.code }
    const { account, session } = await verifyFactor(ctx, caller, readFactorId(event), proof)
    return presentSession(presentUser(account), session)
  })
}

/** `DELETE /factors/{factor_id}`: removes a second factor. */
export function unenrollFactorRoute(app: H3, deps: Deps): void {
  app.delete('/factors/:factor_id', async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))

    return { id: await unenrollFactor(ctx, caller, readFactorId(event)) }
  })
}

const readFactorId = (event: H3Event): string => event.context.params?.['factor_id'] ?? ''
