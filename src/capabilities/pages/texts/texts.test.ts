import { describe, expect, it } from 'vitest'
import { languages } from '../../../platform/kit/languages.ts'
import { de } from './de.ts'
import { en, type TextKey } from './en.ts'
import { fr } from './fr.ts'
import { createTexts, nameOfLanguage } from './texts.ts'

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

  it('have English texts and the direction of the script in an added language', () => {
    const texts = createTexts({
      ar: { 'signIn.submit': 'تسجيل الدخول' },
      it: { direction: 'rtl' },
      xx: { 'signIn.submit': 'x' },
    })
    const of = (language: string, key: TextKey) => texts(language)(key)

    expect(texts.languages).toEqual(['en', 'de', 'fr', 'ar', 'it'])
    expect([of('ar', 'direction'), of('ar', 'signIn.submit')]).toEqual(['rtl', 'تسجيل الدخول'])
    expect([of('it', 'direction'), of('de', 'direction')]).toEqual(['rtl', 'ltr'])
    expect([of('ar', 'nav.data'), of('xx', 'signIn.submit')]).toEqual(['Your data', 'Sign in'])
  })

  it.each([
    ['ar', 'العربية'],
    ['it', 'Italiano'],
    ['de', 'Deutsch'],
    ['xx', null],
    ['pt-BR', null],
    ['', null],
    ['constructor', null],
  ])('name the language %s in that language', (language, name) => {
    expect(nameOfLanguage(language)).toBe(name)
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
