import { describe, expect, it } from 'vitest'
import { signInUrl, stepUpUrl } from './sign-in-url.ts'

const pages = { origins: new Set(['https://app.example.com']), basePath: '/auth' }

describe('the URL of the sign-in page', () => {
  it.each([
    ['/dashboard?tab=1', 'https://app.example.com/dashboard?tab=1'],
    ['http://app.example.com/dashboard', 'https://app.example.com/dashboard'],
    ['https://evil.test/dashboard', 'https://app.example.com/dashboard'],
    ['//evil.test/x', 'https://app.example.com/x'],
    ['//', 'https://app.example.com/'],
    ['///', 'https://app.example.com/'],
    ['https://', 'https://app.example.com/'],
    ['//[', 'https://app.example.com/'],
    ['https://app.example.com//evil.test', 'https://app.example.com/evil.test'],
  ])('returns from %s to the page on the own origin', (page, target) => {
    expect(signInUrl(pages, page)).toBe(
      `/auth/sign-in?${new URLSearchParams({ redirect_to: target })}`,
    )
  })
})

describe('the URL of the page of a step', () => {
  it.each([
    ['verify', '/auth/second-factor', null],
    ['enroll', '/auth/account/security', null],
    ['sign_in', '/auth/sign-in', '1'],
  ] as const)('%s returns to the page on the own origin', (step, path, again) => {
    const url = new URL(stepUpUrl(pages, step, '//evil.test/x'), 'https://app.example.com')

    expect(url.pathname).toBe(path)
    expect(url.searchParams.get('redirect_to')).toBe('https://app.example.com/x')
    expect(url.searchParams.get('again')).toBe(again)
  })
})
