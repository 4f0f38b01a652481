import type {
  MailContent,
  MailTemplate,
  TemplateMail,
} from '../../platform/config/sections/email.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { withinTime } from '../../platform/kit/within-time.ts'

/** The time limit of a fetched template applies to a function, too. */
const timeoutMs = 5_000

/** The maximum length of a text template applies to a function, too. */
const maxLength = 1_000_000

/** Calls the application's function, and checks its result. Throws if there is no valid content. */
export async function callTemplate(
  template: MailTemplate,
  mail: TemplateMail,
): Promise<MailContent> {
  // A function may throw before it returns a promise.
  const result: unknown = await withinTime(
    Promise.resolve().then(() => template(mail)),
    timeoutMs,
    () => new Error(`the function took longer than ${timeoutMs / 1000} s`),
  )
  if (!isRecord(result)) throw new TypeError('the function must return { subject, html, text }')
  const subject = requireText(result, 'subject')
  const html = requireText(result, 'html')
  if (result['text'] !== undefined) return { subject, html, text: requireText(result, 'text') }
  const { htmlToText } = await import('./html-to-text.ts')
  return { subject, html, text: htmlToText(html) }
}

function requireText(result: Record<string, unknown>, name: keyof MailContent): string {
  const value = result[name]
  const isValid =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= maxLength &&
    !value.includes('\0')
  if (isValid) return value
  throw new TypeError(`${name} must be a text of 1 to ${maxLength} characters, without NUL`)
}
