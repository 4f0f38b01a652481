import { expect, it } from 'vitest'
import { temporaryRejection } from '../carriers/carrier.ts'
import { describeFailure } from './deliver-message.ts'

const body = JSON.stringify({
  to: 'ada@example.test',
  languages: ['de'],
  variables: {
    Token: '4839',
    TokenHash: '5ec7e70a1b',
    ConfirmationURL: 'https://auth.example.test/verify?token=5ec7e70a1b',
    Data: { nickname: 'ada99' },
  },
})
const described = (error: unknown, content = body) => describeFailure(error, content)

it.each([
  ['its code', 'code 4839 was refused', 'code … was refused'],
  ['its link', 'GET https://auth.example.test/verify?token=5ec7e70a1b failed', 'GET … failed'],
  ['the secret of its link', 'bad token 5ec7e70a1b', 'bad token …'],
  ['its recipient', 'no mailbox ada@example.test', 'no mailbox …'],
  ['what the user said', 'ada99 is no name', '… is no name'],
  ['any other address', 'ask root@mail.example', 'ask …'],
  ['any number', 'call +49 1555 0100 1', 'call …'],
])('omits %s', (_what, message, expected) => {
  expect(described(new Error(message))).toBe(expected)
})

it('keeps the reason', () => {
  expect(described(new TypeError('fetch failed'))).toBe('fetch failed')
  expect(described(temporaryRejection('the mail server returned 451 4.7.1 to RCPT TO'))).toBe(
    'the mail server returned 451 4.7.1 to RCPT TO',
  )
  expect(described(temporaryRejection('code 4839 is too short'))).toBe('code … is too short')
})

it('is short, and not empty for any exception', () => {
  expect(described(new Error('x'.repeat(10_000)))).toHaveLength(300)
  expect(described(new RangeError(''))).toBe('RangeError')
  expect(described('ada@example.test')).toBe('unknown')
  expect(described(undefined)).toBe('unknown')
  expect(described(new Error('no key'), '')).toBe('no key')
})

it.each([[['email must be an email']], [{}], [7], [null]])(
  'treats %j as a missing message',
  (message) => {
    expect(described(Object.assign(new TypeError(''), { message }))).toBe('TypeError')
    expect(described(Object.assign(new Error(''), { name: message }))).toBe('unknown')
  },
)
