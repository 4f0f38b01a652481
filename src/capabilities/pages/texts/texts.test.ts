import { describe, expect, it } from 'vitest'
import { languages } from '../../../platform/kit/languages.ts'
import { de } from './de.ts'
import { en, type TextKey } from './en.ts'
import { fr } from './fr.ts'
import { createTexts } from './texts.ts'

const all: Readonly<Record<string, Readonly<Record<TextKey, string>>>> = { en, de, fr }
const keys = Object.keys(en) as TextKey[]

describe('the texts', () => {
  it.each(languages)('have the same placeholders in every language: %s', (language) => {
    const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort()
    for (const key of keys) {
      expect([key, placeholders(all[language]?.[key])]).toEqual([key, placeholders(en[key])])
    }
  })

  it('have the spaces and apostrophes of French', () => {
    const wrong = keys.filter((key) => /(?:^|[^\u00a0\u202f])[:;?!]|'/.test(fr[key]))
    expect(wrong).toEqual([])
  })

  it.each([
    ['en', 1, '1\u00a0second'],
    ['de', 30, '30\u00a0Sekunden'],
    ['fr', 120, '2\u00a0minutes'],
    ['de', 90.5, '2\u00a0Minuten'],
  ] as const)('name a duration in words: %s %d', (language, seconds, words) => {
    expect(createTexts({})(language).duration(seconds)).toBe(words)
  })
})
