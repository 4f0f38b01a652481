import { expect, it } from 'vitest'
import { newPasswordField } from './components/new-password-field.ts'
import type { PageRequest } from './page-request.ts'
import { createTexts } from './texts/texts.ts'

/** Returns the rules that the field shows for a required set of characters. */
function ruleOf(characters: string): string {
  const passwords = { minLength: 6, requiredCharacters: [characters] }
  const page = { text: createTexts({})('en'), host: { deps: { config: { passwords } } } }
  const given = { form: 'sign-up', name: 'password', error: undefined }
  const { markup } = newPasswordField(page as unknown as PageRequest, given)
  return /At least one of ([^<]*)/.exec(markup)?.[1] ?? ''
}

it.each([
  ['0123456789', '0–9'],
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 'a–z A–Z'],
  ['abc', 'abc'],
  ['!?#', '!?#'],
  ['_0123456789-', '_0–9 -'],
])('shows the required characters %s as %s', (characters, shown) => {
  expect(ruleOf(characters)).toBe(shown)
})
