import { secondFactors } from '../second-factors.ts'
import { securityKeysOf } from '../security-keys.ts'
import type { Answer } from '../test-auth.ts'
import type { EveryWayIn } from './first-factors.ts'

/** A factor that somebody has enrolled and shown, and one that they began. */
export interface EnrolledFactor {
  /** Whose it is until it is given away. */
  userId: string
  factorId: string
  begunId: string
  /** The secret of a device that its owner trusts. */
  deviceSecret: string
  /** Shows it in the session of this token. */
  prove(token: string): Promise<Answer>
}

export type Enrolment = (world: EveryWayIn) => Promise<{
  userId: string
  factorId: string
  /** The token of a session that has shown it. */
  strong: string
  /** Another one, which a proof of this one leaves: that of an app ends the apps that were begun. */
  begin: object
  prove(token: string): Promise<Answer>
}>

let phones = 0
const newPhone = () => `+491588${String(++phones).padStart(7, '0')}`

const beginApp = { factor_type: 'totp', friendly_name: 'begun' }

/** Every second factor, by what the session says of it. */
export const enrolments = {
  app: [
    'totp',
    async ({ auth }) => {
      const factors = secondFactors(auth)
      const { user, app, accessToken } = await factors.strongSession()
      const prove = (token: string) => factors.prove(token, app)
      const begin = { factor_type: 'phone', phone: newPhone() }
      return { userId: user.id, factorId: app.id, strong: accessToken, begin, prove }
    },
  ],
  phone: [
    'mfa/phone',
    async ({ auth, texts }) => {
      const factors = secondFactors(auth)
      const { user, accessToken } = await auth.given.session()
      const phone = newPhone()
      const { body: factor } = await factors.enroll(accessToken, { factor_type: 'phone', phone })
      const prove = async (token: string) => {
        const challengeId = await factors.challenge(token, factor.id)
        await (await auth.deps()).outbox.settled()
        const code = texts.findLast(({ to }) => to === phone)?.code ?? ''
        return factors.answer(token, factor.id, challengeId, code)
      }
      const { body } = await prove(accessToken)
      auth.clock.advance(60)
      return {
        userId: user.id,
        factorId: factor.id,
        strong: body.access_token,
        begin: beginApp,
        prove,
      }
    },
  ],
  'security key': [
    'mfa/webauthn',
    async ({ auth }) => {
      const keys = securityKeysOf(auth)
      const { user, factorId, authenticator, accessToken } = await keys.holder()
      const prove = (token: string) => keys.prove(token, factorId, authenticator)
      return { userId: user.id, factorId, strong: accessToken, begin: beginApp, prove }
    },
  ],
  'recovery code in its place': [
    'mfa/recovery_code',
    async ({ auth }) => {
      const factors = secondFactors(auth)
      const { user, app, codes, accessToken } = await factors.recoverableSession()
      const prove = (token: string) => factors.useCode(token, codes[0] ?? '')
      return { userId: user.id, factorId: app.id, strong: accessToken, begin: beginApp, prove }
    },
  ],
} satisfies Record<string, [method: string, enroll: Enrolment]>

/** A factor of somebody new, who then begins another one and trusts a device. */
export async function enrolled(world: EveryWayIn, enroll: Enrolment): Promise<EnrolledFactor> {
  const { auth } = world
  const { strong, begin, ...factor } = await enroll(world)
  const { body: begun } = await secondFactors(auth).enroll(strong, begin)
  const { body: device } = await auth.post('/trusted-devices', {}, { token: strong })
  return { ...factor, begunId: begun.id, deviceSecret: device.secret }
}

/**
 * Gives factors and devices to somebody else, as no request does: whoever enrolls a factor has shown it in the session that
 * they did so in, and loses the others. So any session can be one of somebody who has a factor and has not shown it.
 */
export async function giveAway({ auth }: EveryWayIn, from: string, to: string): Promise<void> {
  for (const table of ['factors', 'trusted_devices']) {
    await auth.rows(`update auth.${table} set user_id = $2 where user_id = $1`, [from, to])
  }
}
