import { expect, it } from 'vitest'
import { startTestAuth } from '../../../test/support/test-auth.ts'

it('a log that throws affects no caller', async () => {
  const written: string[] = []
  const fails = (_fields: object, message: string) => {
    written.push(message)
    throw new Error('the disk is full')
  }
  const auth = await startTestAuth({
    logger: { debug: fails, info: fails, warn: fails, error: fails, fatal: fails },
  })

  const signedUp = await auth.post('/signup', {
    email: 'ada@example.test',
    password: 'open sesame',
  })
  const refused = await auth.get('/nowhere')
  await auth.close()

  expect([signedUp.status, refused.status]).toEqual([200, 404])
  expect(written).toContain('request completed')
  expect(written.length).toBeGreaterThan(2)
})
