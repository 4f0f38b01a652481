import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { requestMethods, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'

// S20: a root key can be retired, and every owner of a factor can still use it.

const oldKey = 'an old encryption key of thirty-two bytes'
const newKey = 'a new encryption key of thirty-two bytes'

let auth: TestAuth
let factors: SecondFactors
const others: Pick<TestAuth, 'close'>[] = []

beforeAll(async () => {
  auth = await startTestAuth({ encryptionKey: oldKey })
  factors = secondFactors(auth)
})
afterAll(async () => {
  for (const other of others) await other.close()
  await auth.close()
})

/** Opens a second service on the database, with other root keys. */
async function withKeys(...encryptionKey: string[]): Promise<SecondFactors> {
  const other = await auth.beside({ encryptionKey })
  others.push(other)
  return secondFactors({ ...auth, ...other, ...requestMethods(other.request) })
}

async function keyOfSecret(factorId: string): Promise<string | undefined> {
  const [row] = await auth.rows('select secret from auth.factors where id = $1', [factorId])
  return String(row?.['secret']).split('.')[1]
}

describe('S20: a factor sealed with a former root key', () => {
  it('is sealed with the current one when its owner proves it, and no longer needs the former one', async () => {
    const { app, user } = await factors.aal2Session()
    expect(await keyOfSecret(app.id)).toBe(keyIdOf(oldKey))

    const both = await withKeys(newKey, oldKey)
    const proved = await both.prove((await both.signIn(user.email)).accessToken, app)
    expect(proved.status).toBe(200)
    expect(await keyOfSecret(app.id)).toBe(keyIdOf(newKey))

    auth.clock.advance(30)
    const alone = await withKeys(newKey)
    const again = await alone.prove((await alone.signIn(user.email)).accessToken, app)
    expect(again.status).toBe(200)
  })

  it('is not changed by a wrong code', async () => {
    const { app, user } = await factors.aal2Session()
    const both = await withKeys(newKey, oldKey)
    const { accessToken } = await both.signIn(user.email)
    const challengeId = await both.challenge(accessToken, app.id)

    const wrong = await both.answer(accessToken, app.id, challengeId, both.wrongCodeOf(app))

    expect(statusAndCode(wrong)).toEqual([422, 'mfa_verification_failed'])
    expect(await keyOfSecret(app.id)).toBe(keyIdOf(oldKey))
  })

  it('names the missing key and the remedy in the log, and nothing in the response', async () => {
    const { app, user } = await factors.aal2Session()
    const alone = await withKeys(newKey)
    auth.log.length = 0

    const fault = await alone.prove((await alone.signIn(user.email)).accessToken, app)

    expect(fault.status).toBe(500)
    expect(fault.text).not.toContain(keyIdOf(oldKey))
    const log = JSON.stringify(auth.log)
    expect(log).toContain(`root key ${keyIdOf(oldKey)}, which is not configured`)
    expect(log).toContain('latchkey keys reseal')
  })
})

describe('S20: recovery codes generated with a former root key', () => {
  it('stay valid once the first of them was used with both', async () => {
    const { codes, setId, user } = await factors.recoverableSession()
    const both = await withKeys(newKey, oldKey)
    const used = await both.useCode((await both.signIn(user.email)).accessToken, codes[0] ?? '')
    expect(used.status).toBe(200)
    expect(await keyOfSecret(setId)).toBe(keyIdOf(newKey))

    const alone = await withKeys(newKey)
    const { accessToken } = await alone.signIn(user.email)
    const spent = await alone.useCode(accessToken, codes[0] ?? '')
    const next = await alone.useCode(accessToken, codes[1] ?? '')

    expect(statusAndCode(spent)).toEqual([422, 'mfa_verification_failed'])
    expect(next.status).toBe(200)
  })

  it('get another key with another set', async () => {
    const { codes, accessToken, user } = await factors.recoverableSession()

    const path = '/factors/recovery-codes/regenerate'
    const { body } = await auth.post(path, undefined, { token: accessToken })
    const weak = await factors.signIn(user.email)

    expect(statusAndCode(await factors.useCode(weak.accessToken, codes[0] ?? ''))[0]).toBe(422)
    expect((await factors.useCode(weak.accessToken, body.codes[0])).status).toBe(200)
  })
})
