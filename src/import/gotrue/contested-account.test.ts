import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { runSql } from '../../../test/support/sql.ts'

const email = 'victim@example.test'
const id = 'a0000000-0000-4000-8000-000000000098'

let source: TestDatabase
let auth: MessagingAuth

const again = () => importFrom(source.url, auth)
const there = (text: string) => runSql(source.url, text)

const signUpOrigin = async () => {
  const [row] = await auth.rows('select registered_by from auth.users where id = $1', [id])
  return row?.['registered_by']
}
const signIn = async () => {
  const credentials = { email, password: 'correct horse' }
  const { body } = await auth.post('/token?grant_type=password', credentials)
  return body.error_code ?? 'signed in'
}

beforeEach(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  auth = await startMessagingAuth()
  // A client signed up there with the address of another person.
  await there(`
    insert into auth.users (id, aud, role, email, encrypted_password, created_at, updated_at)
    select '${id}', 'authenticated', 'authenticated', '${email}', encrypted_password, now(), now()
    from auth.users where email = 'bob@example.test'`)
  await again()
})
afterEach(async () => {
  await auth?.close()
  await source?.drop()
})

it('S126: another import keeps that requests here compete, and the password ends with a proof', async () => {
  await auth.post('/resend', { type: 'signup', email })
  const before = await signUpOrigin()
  await there(`update auth.users set confirmation_sent_at = now() where id = '${id}'`)

  const { users } = await again()
  const after = await signUpOrigin()
  await auth.follow(await auth.messageTo(email))

  expect(users.updated).toBe(1)
  expect([before, after]).toEqual(['contested', 'contested'])
  expect(await auth.auth.admin.getUser(id)).toMatchObject({ emailConfirmedAt: expect.any(Date) })
  expect(await signIn()).toBe('invalid_credentials')
})

it('another import takes over a proof at the source, with the password', async () => {
  await auth.post('/resend', { type: 'signup', email })
  await there(`update auth.users set email_confirmed_at = now() where id = '${id}'`)

  await again()

  expect(await signUpOrigin()).toBeNull()
  expect(await signIn()).toBe('signed in')
})
