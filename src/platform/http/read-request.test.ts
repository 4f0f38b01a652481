import { expect, it } from 'vitest'
import { startTestAuth } from '../../../test/support/test-auth.ts'

const many = '%FF&'.repeat(3_900)
const tooMany = (place: string) => ({
  status: 400,
  body: { error_code: 'validation_failed', msg: `${place}: contains more than 500 fields` },
})

it('rejects queries and forms of more fields than any request needs, before they are read', async () => {
  const auth = await startTestAuth()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }

  expect(await auth.get(`/authorize?provider=github&${many}`)).toMatchObject(tooMany('query'))
  expect(await auth.request('POST', '/callback', { body: many, headers })).toMatchObject(
    tooMany('body'),
  )
  await auth.close()
})
