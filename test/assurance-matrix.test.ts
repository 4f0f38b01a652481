import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../src/service/endpoints.ts'
import {
  type EveryWayIn,
  type FirstFactorCase,
  firstFactors,
  openEveryWayIn,
} from './support/assurance/first-factors.ts'
import {
  type GateRequest,
  gatekeepers,
  gates,
  isPassed,
  type StepUpGate,
} from './support/assurance/gates.ts'
import {
  type Enrolment,
  enrolled,
  enrolments,
  giveAway,
} from './support/assurance/second-factors.ts'
import { givenPasskey } from './support/passkeys.ts'
import { claimsIn, secondFactors } from './support/second-factors.ts'

// Every sign-in method, with every second factor, at everything that requires one.

let world: EveryWayIn

beforeAll(async () => {
  world = await openEveryWayIn()
})
afterAll(() => world.close())

let numbered = 0

/** Signs in a new user who is an operator, so that all endpoints are permitted. */
async function signedIn(signIn: FirstFactorCase) {
  const { auth } = world
  const session = await signIn(world)
  const userId = String(claimsIn(session.access_token).sub)
  // The address is confirmed, since the first confirmation by linking would end the session.
  await auth.rows(
    `update auth.users set role = 'service_role', phone = coalesce(phone, $2),
      phone_confirmed_at = coalesce(phone_confirmed_at, created_at), email = coalesce(email, $3),
      email_confirmed_at = coalesce(email_confirmed_at, created_at) where id = $1`,
    [userId, `49159${String(++numbered).padStart(8, '0')}`, `matrix-${numbered}@example.test`],
  )
  const { body } = await secondFactors(auth).refresh(session.refresh_token)
  const [identity] = await auth.rows<{ id: string }>(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      values (gen_random_uuid(), $1, 'github', gen_random_uuid(), '{}', $2, $2) returning id`,
    [userId, auth.clock.now()],
  )
  return {
    userId,
    token: String(body.access_token),
    passkeyId: await givenPasskey(auth, userId),
    identityId: identity?.id ?? '',
  }
}

const methodsIn = (token: string) => claimsIn(token).amr?.map(({ method }) => method)

/**
 * Returns the response of each gate. The requests run at once, since none of them has an effect.
 */
const refusals = (requested: GateRequest) =>
  Promise.all(gates.map(async (gate) => [gate.name, ...(await gate.send(requested))]))

const expected = (of: (gate: StepUpGate) => StepUpGate['rejection']) =>
  gates.map((gate) => [gate.name, ...of(gate)])

/** Creates a user with both factors who has verified the first one only. */
async function withBoth(signIn: FirstFactorCase, enroll: Enrolment) {
  const factor = await enrolled(world, enroll)
  const person = await signedIn(signIn)
  await giveAway(world, factor.userId, person.userId)
  return { world, ...factor, ...person }
}

/**
 * First factors that the mailbox of the account may have provided, so that a code by mail adds
 * nothing.
 */
const fromMailbox: ReadonlySet<string> = new Set(['otp', 'oauth', 'anonymous'])

describe.each(Object.entries(firstFactors))('%s', (name, [first, signIn]) => {
  it.each(Object.entries(enrolments))(
    'gives no access without the second factor, and full access with an independent one: %s',
    async (_second, [second, enroll]) => {
      const weak = await withBoth(signIn, enroll)
      expect(methodsIn(weak.token)).toEqual([first])
      expect(await refusals(weak)).toEqual(expected(({ rejection }) => rejection))

      const proof = await weak.prove(weak.token)
      if (second === 'mfa/email' && fromMailbox.has(first) && name !== 'code by phone') {
        expect([proof.status, proof.body.error_code]).toEqual([422, 'mfa_email_not_independent'])
        expect(await refusals(weak)).toEqual(expected(({ rejection }) => rejection))
        return
      }
      const { body } = proof
      const strong = { ...weak, token: String(body.access_token) }
      expect(methodsIn(strong.token)).toEqual([second, first])
      for (const gate of gates.filter(({ endsProofBy }) => endsProofBy !== second)) {
        const response = await gate.send(strong)
        expect(isPassed(gate, response), `${gate.name}: ${response}`).toBe(true)
      }
    },
  )

  it('gives no more access on a trusted device than the application permits', async () => {
    const { deviceSecret, ...weak } = await withBoth(signIn, enrolments.app[1])
    const { body } = await world.auth.post(
      '/trusted-devices/verify',
      { secret: deviceSecret },
      { token: weak.token },
    )
    const risen = { ...weak, token: String(body.access_token) }

    expect(methodsIn(risen.token)).toEqual(['trusted_device', first])
    expect(await refusals(risen)).toEqual(
      expected(({ rejection, toDevice = rejection }) => toDevice),
    )
    // The session has aal2 after the challenge; a token from before it does not.
    const proved = await weak.prove(risen.token)
    expect(proved.status).toBe(200)
    expect(await refusals(weak)).toEqual(expected(({ rejection }) => rejection))
  })
})

describe('the list of operations that require a second factor', () => {
  const endpointOf = ({ name }: StepUpGate) => name.replace(/,.*/, '')

  it('contains every endpoint whose description declares it', () => {
    const named = endpoints
      .filter(({ errors }) =>
        (errors as readonly string[] | undefined)?.includes('insufficient_aal'),
      )
      .map(({ method, path }) => `${method} ${path}`)

    const listed = new Set(gates.map(endpointOf).filter((name) => !name.startsWith('auth.')))
    // Endpoints of operators share one guard and do not declare it one by one.
    listed.delete('GET /admin/users')
    expect([...listed].sort()).toEqual([...new Set(named)].sort())
  })

  it('contains every caller of the check in the code', () => {
    const source = join(import.meta.dirname, '../src')
    const asks =
      /\b(?:needsFactorProof|requireMay\w+|hasShownSecondFactor|provesSecondFactor|requireStepUp|requireRecentProof|needsAal2)\(/
    const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) => asks.test(readFileSync(join(source, file), 'utf8')))

    const declaring = found.filter((file) => declaredBeside(source, file))
    const listed = found.filter((file) => file in gatekeepers || !declaring.includes(file))
    expect(listed.sort()).toEqual(Object.keys(gatekeepers).sort())
    const declared = declaring.flatMap((file) => declaredBeside(source, file) ?? [])
    const behind = new Set([...Object.values(gatekeepers).flat(), ...declared])
    expect([...behind].sort()).toEqual([...new Set(gates.map(endpointOf))].sort())
  })

  /**
   * The endpoints whose descriptions are in the folder of a file, and which declare the error; null
   * for none.
   */
  function declaredBeside(source: string, file: string): string[] | null {
    const folder = join(source, file, '..')
    const descriptions = readdirSync(folder)
      .filter((name) => name.endsWith('.endpoint.ts') || name.endsWith('.route.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    const declared = endpoints
      .filter(({ errors }) => (errors as readonly string[]).includes('insufficient_aal'))
      .filter(({ path }) => descriptions.includes(`path: '${path}'`))
      .map(({ method, path }) => `${method} ${path}`)
    return declared.length > 0 ? declared : null
  }
})
