import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import { openStrengthScore } from './strength-score.ts'

let auth: TestAuth | undefined
afterEach(async () => {
  await auth?.close()
  auth = undefined
})

describe('a score', () => {
  it.each(['password', 'Password1!', 'p4ssw0rd', 'qwertyuiop', '1987-12-24', 'aaaaaaaaaaaa'])(
    'is too low: %s',
    async (password) => {
      const findLowScore = await openStrengthScore(3)
      expect(findLowScore(password)).toEqual({
        message: 'Password is easy to guess, please choose a longer or less common one.',
        reasons: ['characters'],
      })
    },
  )

  it.each(['correct horse battery staple', 'vQ7-ptx_2Rm9', 'ржавый чайник поёт басом'])(
    'is high enough: %s',
    async (password) => expect((await openStrengthScore(3))(password)).toBeNull(),
  )

  it.each(['p4ssw0rd', '1234567890', '@4$5', 'l1l1'])(
    'takes no longer for 1,024 bytes of %s',
    async (pattern) => {
      const findLowScore = await openStrengthScore(3)
      const begun = process.cpuUsage()
      findLowScore(pattern.repeat(1024).slice(0, 1024))
      const { user, system } = process.cpuUsage(begun)
      // Without the limit it takes 20 seconds.
      expect((user + system) / 1000).toBeLessThan(1000)
    },
  )

  it('is required at a sign-up, and not at a sign-in', async () => {
    auth = await startTestAuth({ passwords: { minScore: 3 } })
    const email = 'ann@example.test'
    const refused = await auth.post('/signup', { email, password: 'Password1!' })
    await auth.auth.admin.createUser({ email, password: 'Password1!', emailConfirm: true })

    const { body } = await auth.post('/token?grant_type=password', {
      email,
      password: 'Password1!',
    })

    expect([refused.status, refused.body.weak_password]).toEqual([422, { reasons: ['characters'] }])
    expect(body.weak_password).toBeNull()
  })
})

describe('a start', () => {
  it('is rejected with sets of characters beside a score', () => {
    const passwords = { minScore: 3, requiredCharacters: ['abc'] }
    expect(() => checkConfig({ development: true, passwords })).toThrow(
      /passwords.minScore replaces passwords.requiredCharacters/,
    )
  })

  /** Returns the result of a start in a process without the packages of zxcvbn. */
  const startWithout = (minScore: number) => {
    const program = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve(name, context, next) {
        if (!name.startsWith('@zxcvbn-ts/')) return next(name, context)
        loaded.push(name)
        throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
      } })
      const { openPasswordPolicy } = await import('./src/credentials/passwords/password-policy.ts')
      const { checkConfig } = await import('./src/platform/config/check-config.ts')
      const { config } = checkConfig({ development: true, passwords: { minScore: ${minScore} } })
      const said = await openPasswordPolicy({ config }).then(() => 'started', (error) => error.name)
      console.log(said + ' ' + loaded.length)
    `
    const flags = ['--conditions=latchkey-source', '--input-type=module', '--eval', program]
    const cwd = join(import.meta.dirname, '../../..')
    return execFileSync(process.execPath, flags, { cwd, encoding: 'utf8' }).trim()
  }

  it('is rejected where the packages are not installed, which are loaded only for a score', () => {
    expect(startWithout(3)).toBe('PasswordScoreMissingError 3')
    expect(startWithout(0)).toBe('started 0')
  })
})
