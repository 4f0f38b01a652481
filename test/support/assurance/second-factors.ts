import { secondFactors } from '../second-factors.ts'
import { securityKeysOf } from '../security-keys.ts'
import type { Answer } from '../test-auth.ts'
import type { EveryWayIn } from './first-factors.ts'

/** A verified factor of a user, and an unverified one. */
export interface EnrolledTestFactor {
  /** The owner, until `giveAway`. */
  userId: string
  factorId: string
  begunId: string
  /** The secret of a device that its owner trusts. */
  deviceSecret: string
  /** Verifies it in the session of this token. */
  prove(token: string): Promise<Answer>
}

export type Enrolment = (world: EveryWayIn) => Promise<{
  userId: string
  factorId: string
  /** The token of a session that has verified it. */
  strong: string
  /**
   * Another factor, which the verification of this one keeps: that of an app deletes unverified
   * apps.
   */
  begin: object
  prove(token: string): Promise<Answer>
}>

let phones = 0
const newPhone = () => `+491588${String(++phones).padStart(7, '0')}`

const beginApp = { factor_type: 'totp', friendly_name: 'begun' }

/** Every second factor, by its value in `amr`. */
export const enrolments = {
  app: [
    'totp',
    async ({ auth }) => {
      const factors = secondFactors(auth)
      const { user, app, accessToken } = await factors.aal2Session()
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
  'codes by mail': [
    'mfa/email',
    async ({ auth, mailedCodes }) => {
      const factors = secondFactors(auth)
      const { user, accessToken } = await auth.given.session()
      const { body: factor } = await factors.enroll(accessToken, { factor_type: 'email' })
      const prove = async (token: string) => {
        const requested = await auth.post(`/factors/${factor.id}/challenge`, {}, { token })
        if (requested.status !== 200) return requested
        await (await auth.deps()).outbox.settled()
        return factors.answer(token, factor.id, requested.body.id, mailedCodes.at(-1) ?? '')
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

/** Enrolls a factor for a new user, who then starts another enrollment and trusts a device. */
export async function enrolled(world: EveryWayIn, enroll: Enrolment): Promise<EnrolledTestFactor> {
  const { auth } = world
  const { strong, begin, ...factor } = await enroll(world)
  const { body: begun } = await secondFactors(auth).enroll(strong, begin)
  const { body: device } = await auth.post('/trusted-devices', {}, { token: strong })
  return { ...factor, begunId: begun.id, deviceSecret: device.secret }
}

/**
 * Assigns factors and devices to another user, which no request can do: a user who enrolls a factor
 * has verified it in that session, and loses the others. So any session can become one of a user
 * with an unverified factor.
 */
export async function giveAway({ auth }: EveryWayIn, from: string, to: string): Promise<void> {
  for (const table of ['factors', 'trusted_devices']) {
    await auth.rows(`update auth.${table} set user_id = $2 where user_id = $1`, [from, to])
  }
}
