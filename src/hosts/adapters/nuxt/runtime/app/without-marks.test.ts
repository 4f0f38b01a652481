import { describe, expect, it } from 'vitest'
import { withoutMarks } from './without-marks.ts'

describe('a session in a payload', () => {
  it.each(['__nuxt_error', '__nuxt_island', '__v_isRef', '__v_isReactive', '__v_raw', '__proto__'])(
    'contains no framework marker that a user has set: %s',
    (name) => {
      const metadata = JSON.parse(`{"name":"Ada","${name}":true,"deep":[{"${name}":{"a":1}}]}`)
      expect(withoutMarks({ user: { metadata } })).toEqual({
        user: { metadata: { name: 'Ada', deep: [{}] } },
      })
    },
  )

  it('is otherwise unchanged', () => {
    const session = {
      expires_in: 3_600,
      user: { __custom: 1, a__nuxt_b: [null, 'x'], toJSON: 'y' },
    }
    expect(withoutMarks(session)).toEqual(session)
  })
})
