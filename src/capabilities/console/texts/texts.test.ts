import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorMeanings } from '../../../platform/errors/error-meanings.ts'
import { languages } from '../../../platform/kit/languages.ts'
import { de } from './de.ts'
import { type ConsoleTextKey, en } from './en.ts'
import { fr } from './fr.ts'

const all: Readonly<Record<string, Readonly<Record<ConsoleTextKey, string>>>> = { en, de, fr }
const keys = Object.keys(en) as ConsoleTextKey[]
/** The texts of errors are found by their code. */
const ofErrors = 'error.code.'

describe('the texts of the console', () => {
  it.each(languages)('have the same keys and placeholders in every language: %s', (language) => {
    const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort()
    expect(Object.keys(all[language] ?? {}).toSorted()).toEqual(keys.toSorted())
    for (const key of keys) {
      expect([key, placeholders(all[language]?.[key])]).toEqual([key, placeholders(en[key])])
    }
  })

  it('have the spaces and apostrophes of French', () => {
    // A name such as `custom:` and an example in JSON are as typed.
    const prose = (text: string) => text.replaceAll(/custom:|\{".*"\}|\d:\d/g, '')
    const wrong = keys.filter((key) => /(?:^|[^\u00a0\u202f])[:;?!]|'/.test(prose(fr[key])))
    expect(wrong).toEqual([])
  })

  it('are formal in German', () => {
    const wrong = keys.filter((key) => /\b(?:du|dich|dir|dein\w*)\b/i.test(de[key]))
    expect(wrong).toEqual([])
  })

  it('of errors have codes that exist', () => {
    const codes = keys
      .filter((key) => key.startsWith(ofErrors))
      .map((key) => key.slice(ofErrors.length))
    expect(codes.length).toBeGreaterThan(9)
    expect(codes.filter((code) => !Object.hasOwn(errorMeanings, code))).toEqual([])
  })

  it('are all used', () => {
    const folder = join(import.meta.dirname, '..')
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/(\/(de|en|fr)|\.test)\.ts$/.test(path))
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .join('\n')
    const isUsed = (key: string) => {
      const start = key.slice(0, key.lastIndexOf('.') + 1)
      return sources.includes(`'${key}'`) || sources.includes(`\`${start}\${`)
    }
    expect(keys.filter((key) => !key.startsWith(ofErrors) && !isUsed(key))).toEqual([])
  })
})
