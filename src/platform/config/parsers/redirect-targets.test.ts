import { expect, it } from 'vitest'
import { isFailure } from './parser.ts'
import { redirectTargets } from './redirect-targets.ts'

const problemsOf = (...patterns: string[]) => {
  const reading = redirectTargets.check(patterns)
  return isFailure(reading) ? reading.problems : []
}

const warningOf = (pattern: string) => {
  const reading = redirectTargets.check([pattern])
  return isFailure(reading) ? reading : reading.warning
}

it.each([
  ['https://a.test/**, https://b.test', ['https://a.test/**', 'https://b.test']],
  ['https://{a,b}.test,,x://y', ['https://{a,b}.test', 'x://y']],
  ['https://{a,{b,c}}.test,x://y', ['https://{a,{b,c}}.test', 'x://y']],
  ['https://a.test/\\{,x://y', ['https://a.test/\\{', 'x://y']],
  ['https://a.test/},x://y', ['https://a.test/}', 'x://y']],
  [' ', []],
])('%j is a list of %j', (text, items) => {
  expect(redirectTargets.parse(text)).toEqual({ value: items })
})

it.each([
  ['https://a.test/[', 'has no "]" for its "["'],
  ['https://{a,b.test', 'has no "}" for its "{"'],
  ['**', 'must start with a scheme without wildcards, such as https:// or myapp://'],
  ['http*://a.test', 'must start with a scheme without wildcards, such as https:// or myapp://'],
  ['//a.test/**', 'must start with a scheme without wildcards, such as https:// or myapp://'],
  ['a.test/**', 'must start with a scheme without wildcards, such as https:// or myapp://'],
  [
    '{https,java*}://a.test',
    'must start with a scheme without wildcards, such as https:// or myapp://',
  ],
  ['javascript:**', 'must not permit javascript: URLs'],
  ['DATA:**', 'must not permit data: URLs'],
  ['https:a.test', 'must have "//" after its scheme'],
  ['https:/**', 'must have "//" after its scheme'],
  ['https:///**', 'must name a host, such as https://app.example.com/**'],
  ['', 'must not be empty'],
])('%j is rejected, with its index: it %s', (pattern, message) => {
  expect(problemsOf('https://a.test/**', pattern)).toEqual([{ at: '[1]', message }])
})

it.each([
  'https://*',
  'https://**/cb',
  'https://a.test**',
  'https://a.t[ea]st/',
  'https://a.test*:8080/',
  'https://*.com/**',
  'https://**.com/**',
  'https://*example.test/**',
  'https://app-*example.test/**',
  'https://example.*.com/**',
  'https://{a.test,*.com}/**',
])('warns that %s permits hosts of any owner', (pattern) => {
  expect(warningOf(pattern)).toBe(
    `has ${JSON.stringify(pattern)}, which permits hosts of any owner`,
  )
})

it('warns of an address that is never permitted', () => {
  expect(warningOf('https://203.0.113.7/**')).toBe(
    'has "https://203.0.113.7/**", but loopback is the only address that can be permitted',
  )
})

it.each([
  'https://*.a.test/**',
  'https://app-*.a.test/**',
  'https://*-preview.a.test/**',
  'http://*.localhost:3000/**',
  'http://localhost:*/**',
  'http://127.0.0.1:*/**',
  'http://[::1]:*/**',
  'https://a.{test,example}/**',
  'myapp://**',
  'myapp:/cb',
])('has no warning for %s', (pattern) => {
  expect(warningOf(pattern)).toBeUndefined()
})
