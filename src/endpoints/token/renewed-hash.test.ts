import { hash as bcryptHash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const storedHash = async (id: string) => {
  const { database } = await auth.deps()
  const [row] = await auth.rows<{ password_hash: string }>(
    `select password_hash from ${database.sql.table('users')} where id = $1`,
    [id],
  )
  return row?.password_hash ?? ''
}

it('replaces the hash of another service after a right password', async () => {
  const email = 'moved@example.test'
  const passwordHash = await bcryptHash('correct horse', 4)
  const { id } = await auth.auth.admin.createUser({ email, passwordHash, emailConfirm: true })
  const signIn = (password: string) => auth.auth.api.signInWithPassword({ email, password })

  await signIn('wrong').catch(() => {})
  const before = await storedHash(id)
  await signIn('correct horse')
  const after = await storedHash(id)

  expect(before).toBe(passwordHash)
  expect(after).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
  await expect(signIn('correct horse')).resolves.toMatchObject({ user: { id } })
  expect(await storedHash(id)).toBe(after)
})

it('accepts each of several concurrent sign-ins with the right password', async () => {
  const email = 'twice@example.test'
  const passwordHash = await bcryptHash('correct horse', 8)
  await auth.auth.admin.createUser({ email, passwordHash, emailConfirm: true })
  const signIn = (password: string) => auth.post('/token?grant_type=password', { email, password })

  const passwords = ['correct horse', 'wrong', 'correct horse', 'correct horse', 'correct horse']
  const answers = await Promise.all(passwords.map(signIn))

  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200])
})
