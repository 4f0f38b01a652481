import { describe, expect, it } from 'vitest'
import { ownPath } from './own-path.ts'

const options = { homePath: '/home', signInPath: '/sign-in' }

describe('the target after a sign-in', () => {
  it.each(['/', '/profile', '/a/b?c=d#e', '/%2F%2Fevil.test', '/search?q=//evil.test', '/ä'])(
    'is a path of the application: %s',
    (path) => {
      expect(ownPath(path, options)).toBe(path)
    },
  )

  it.each([
    undefined,
    null,
    '',
    ['/profile'],
    'profile',
    '/ /evil.test',
    '/\u2028/evil.test',
    '/\u00a0\\evil.test',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    '\t//evil.test',
    '/.//evil.test',
    '/a/..//evil.test',
    '/%2e//evil.test',
    'https://evil.test',
    'https:/evil.test',
    'javascript:alert(1)',
    ' /profile',
  ])('is the home path for %j', (path) => {
    expect(ownPath(path, options)).toBe('/home')
  })

  it.each(['/sign-in', '/sign-in/', '/sign-in?redirect=/a', '/a/../sign-in'])(
    'is not the sign-in page itself: %s',
    (path) => {
      expect(ownPath(path, options)).toBe('/home')
    },
  )
})
