import fc from 'fast-check'
import { expect } from 'vitest'
import type { Answer } from '../support/test-auth.ts'
import {
  isBanned,
  lifetimeSeconds,
  type Model,
  type ModelSession,
  outcomeOfRefresh,
  rejectionOfCaller,
} from './session-model.ts'

/** The tested system: two instances on one database, and one clock. */
export interface Real {
  ask(instance: number, method: string, path: string, options?: object): Promise<Answer>
  setBan(duration: string): Promise<void>
  advance(seconds: number): void
  email: string
}

type Step = fc.AsyncCommand<Model, Real>

/** A step that is always possible, with a name for failure messages. */
const step = (name: string, run: (model: Model, real: Real) => Promise<void>): Step => ({
  check: () => true,
  run,
  toString: () => name,
})

/** A step on one of the existing sessions. */
const onSession = (
  name: string,
  pick: number,
  run: (model: Model, real: Real, session: ModelSession) => Promise<void>,
): Step => ({
  check: ({ sessions }) => sessions.length > 0,
  run: async (model, real) => {
    const session = model.sessions[pick % model.sessions.length]
    if (session) await run(model, real, session)
  },
  toString: () => `${name} of session ${pick}`,
})

const signIn = (instance: number, isRight: boolean): Step =>
  step(`sign in ${isRight ? '' : 'wrongly '}at ${instance}`, async (model, real) => {
    const password = isRight ? model.password : 'wrong'
    const answer = await real.ask(instance, 'POST', '/token?grant_type=password', {
      body: { email: real.email, password },
    })
    if (!isRight) return expect(answer.body.error_code).toBe('invalid_credentials')
    if (isBanned(model)) return expect(answer.body.error_code).toBe('user_banned')
    expect(answer.status).toBe(200)
    model.sessions.push({
      accessToken: answer.body.access_token,
      accessTokenExpiresAt: model.now + lifetimeSeconds,
      refreshTokens: [answer.body.refresh_token],
      rotatedAt: model.now,
      state: 'live',
    })
  })

const refresh = (instance: number, pick: number, age: number): Step =>
  onSession(`refresh (${age} back) at ${instance}`, pick, async (model, real, session) => {
    const index = Math.max(0, session.refreshTokens.length - 1 - age)
    const trueAge = session.refreshTokens.length - 1 - index
    const expected = outcomeOfRefresh(model, session, trueAge)
    const { status, body } = await real.ask(instance, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: session.refreshTokens[index] },
    })
    if (typeof expected === 'object') {
      expect(body.error_code).toBe(expected.rejection)
      if (expected.revokes) session.state = 'revoked'
      return
    }
    expect(status).toBe(200)
    session.accessToken = body.access_token
    session.accessTokenExpiresAt = model.now + lifetimeSeconds
    if (expected === 'same') return expect(body.refresh_token).toBe(session.refreshTokens.at(-1))
    expect(session.refreshTokens).not.toContain(body.refresh_token)
    session.refreshTokens.push(body.refresh_token)
    session.rotatedAt = model.now
  })

const readUser = (instance: number, pick: number): Step =>
  onSession(`read user at ${instance}`, pick, async (model, real, session) => {
    const { status, body } = await real.ask(instance, 'GET', '/user', {
      token: session.accessToken,
    })
    expect(body.error_code ?? null).toBe(rejectionOfCaller(model, session))
    if (status === 200) expect(body.email).toBe(real.email)
  })

const signOut = (instance: number, pick: number, scope: string): Step =>
  onSession(`sign out (${scope}) at ${instance}`, pick, async (model, real, session) => {
    const rejection = rejectionOfCaller(model, session)
    const { status, body } = await real.ask(instance, 'POST', `/logout?scope=${scope}`, {
      token: session.accessToken,
    })
    if (rejection) return expect(body.error_code).toBe(rejection)
    expect(status).toBe(204)
    for (const one of model.sessions) {
      if (scope === 'global' || (one === session) === (scope === 'local')) one.state = 'deleted'
    }
  })

const changePassword = (instance: number, pick: number): Step =>
  onSession(`change the password at ${instance}`, pick, async (model, real, session) => {
    const rejection = rejectionOfCaller(model, session)
    const password = `password number ${model.passwordsSet + 1}`
    const { body } = await real.ask(instance, 'PUT', '/user', {
      token: session.accessToken,
      body: { password },
    })
    expect(body.error_code ?? null).toBe(rejection)
    if (rejection) return
    model.passwordsSet += 1
    model.password = password
    for (const one of model.sessions) if (one !== session) one.state = 'deleted'
  })

const ban = (seconds: number): Step =>
  step(seconds > 0 ? `ban for ${seconds} s` : 'lift the ban', async (model, real) => {
    await real.setBan(seconds > 0 ? `${seconds}s` : 'none')
    model.bannedUntil = seconds > 0 ? model.now + seconds : 0
  })

const wait = (seconds: number): Step =>
  step(`wait ${seconds} s`, async (model, real) => {
    real.advance(seconds)
    model.now += seconds
  })

const instances = fc.nat({ max: 1 })
const picks = fc.nat({ max: 7 })

/**
 * All steps. Advances of the clock are mostly short, sometimes longer than the lifetime of a token.
 */
export const allSteps: fc.Arbitrary<Step>[] = [
  fc.tuple(instances, fc.constant(true)).map((given) => signIn(...given)),
  fc.tuple(instances, fc.constant(false)).map((given) => signIn(...given)),
  fc.tuple(instances, picks, fc.nat({ max: 3 })).map((given) => refresh(...given)),
  fc.tuple(instances, picks, fc.constant(0)).map((given) => refresh(...given)),
  fc.tuple(instances, picks).map((given) => readUser(...given)),
  fc
    .tuple(instances, picks, fc.constantFrom('local', 'others', 'global'))
    .map((given) => signOut(...given)),
  fc.tuple(instances, picks).map((given) => changePassword(...given)),
  fc.constantFrom(0, 0, 5, 60).map(ban),
  fc.constantFrom(1, 4, 9, 10, 11, 600, 4000).map(wait),
]
