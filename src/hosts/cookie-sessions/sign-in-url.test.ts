import { describe, expect, it } from 'vitest'
import { signInUrl } from './sign-in-url.ts'

const terms = { origins: new Set(['https://app.example.com']) }

describe('the URL of the sign-in page', () => {
  it.each([
    ['/dashboard?tab=1', 'https://app.example.com/dashboard?tab=1'],
    ['http://app.example.com/dashboard', 'https://app.example.com/dashboard'],
    ['https://evil.test/dashboard', 'https://app.example.com/dashboard'],
    ['//evil.test/x', 'https://app.example.com/x'],
    ['https://app.example.com//evil.test', 'https://app.example.com/evil.test'],
  ])('returns from %s to the page on the own origin', (page, target) => {
    expect(signInUrl(terms, '/auth', page)).toBe(
      `/auth/sign-in?${new URLSearchParams({ redirect_to: target })}`,
    )
  })
})
