import type { TestBrowser } from './fake-realm.ts'
import type { Answer } from './test-auth.ts'

/**
 * Returns the form of the page that confirms the linking of an identity, with one of its buttons.
 */
export function confirmationForm(page: string, decision: 'link' | 'cancel' = 'link') {
  const [, secret] = /<input type="hidden" name="confirmation" value="([^"]+)">/.exec(page) ?? []
  if (secret === undefined) throw new Error(`no confirmation page: ${page.slice(0, 200)}`)
  return new URLSearchParams({ confirmation: secret, decision })
}

/** Submits a confirmation page; returns any other response unchanged. */
export const pressed = async (
  browser: TestBrowser,
  path: string,
  answer: Answer,
): Promise<Answer> =>
  answer.status === 200 ? browser.submit(path, confirmationForm(answer.text)) : answer
