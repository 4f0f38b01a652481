import { afterAll, beforeAll, expect, it } from 'vitest'
import { beforeWrite } from '../../../test/support/before-write.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { openCall } from '../../service/api/call-options.ts'
import { unlinkIdentity } from './unlink-identity.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ security: { manualLinkingEnabled: true } })
})
afterAll(() => auth.close())

it('keeps an identity when the first factor is verified between the check and the write', async () => {
  const factors = secondFactors(auth)
  const { user, accessToken, app, answer } = await factors.begun()
  const [identity] = await auth.rows<{ id: string }>(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      values (gen_random_uuid(), $1, 'github', gen_random_uuid(), '{}', $2, $2) returning id`,
    [user.id, auth.clock.now()],
  )
  const ctx = openCall(await auth.deps())
  const caller = await authenticateCaller(ctx, accessToken)

  const verify = () => answer(factors.codeOf(app))
  const unlinking = unlinkIdentity(beforeWrite(ctx, verify), caller, {
    identityId: identity?.id ?? '',
  })

  await expect(unlinking).rejects.toMatchObject({ code: 'insufficient_aal', status: 403 })
  const { identities } = await auth.auth.admin.getUser(user.id)
  expect(identities.map(({ provider }) => provider)).toContain('github')
})
