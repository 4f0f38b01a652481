import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasEmbeddedDatabase } from './support/embedded.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { testPassword } from './support/test-auth.ts'

// The statements of links and codes on the embedded database, where all requests share one
// connection.

const isInstalled = await hasEmbeddedDatabase('test/embedded-messages.test.ts')

describe.runIf(isInstalled)('on the embedded database', () => {
  let auth: MessagingAuth
  let folder: string
  const home = process.cwd()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-embedded-'))
    process.chdir(folder)
    auth = await startMessagingAuth({
      database: {},
      development: true,
      // Counted, and always expired.
      email: { autoconfirm: false, maxFrequencySeconds: 0.001 },
    })
  }, 60_000)
  afterAll(async () => {
    await auth?.close()
    process.chdir(home)
    await rm(folder, { recursive: true, force: true })
  })

  it('a link succeeds once, of twenty concurrent requests', async () => {
    const email = 'embedded@example.test'
    await auth.post('/signup', { email, password: testPassword })
    const { hash } = await auth.messageTo(email)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => auth.post('/verify', { type: 'signup', token_hash: hash })),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(19)
  })

  it('concurrent changes of a user all succeed', async () => {
    const { accessToken: token } = await auth.given.session('changes@example.test')

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        auth.put('/user', { data: { [`key${index}`]: index } }, { token }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it('a change of email requires two confirmations, and a code allows five attempts', async () => {
    const [email, wanted] = ['before@example.test', 'after@example.test']
    const { accessToken: token } = await auth.given.session(email)
    await auth.put('/user', { email: wanted }, { token })
    const [first, second] = [await auth.messageTo(email), await auth.messageTo(wanted)]
    const enter = (code: string) =>
      auth.post('/verify', { type: 'email_change', token: code, email: wanted })

    const halfway = await auth.follow(first)
    for (let index = 0; index < 5; index++) await enter('wrong')
    const spent = await enter(second.code)
    const done = await auth.follow(second)

    expect(halfway.fragment.get('message')).toContain('other email')
    expect(spent.status).toBe(403)
    expect(done.fragment.get('type')).toBe('email_change')
  })
})
