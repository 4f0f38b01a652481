import { isRecord } from '../../kit/is-record.ts'
import type { MailBody, MailTemplate, ResolvedMailTemplate } from '../sections/email.ts'
import { fails, isFailure, type Parser, type Reading, reads } from './parser.ts'
import { urlOrPath } from './urls.ts'

type Headers = Readonly<Record<string, readonly string[]>>

const headersMustBe = 'must map names of headers to lists of strings, as in {"X-Team": ["auth"]}'

/** Extra headers of mails: a JSON object in the environment. */
export const mailHeaders: Parser<Headers, Headers> = {
  name: 'JSON',
  emptyMeansAbsent: true,
  parse: (text) => {
    try {
      return reads(JSON.parse(text) as Headers)
    } catch {
      // The parser's message is dropped, since it quotes the text.
      return fails('must be JSON')
    }
  },
  check: (given) => {
    if (!isRecord(given) || !Object.entries(given).every(isHeader)) return fails(headersMustBe)
    return reads(
      Object.fromEntries(
        Object.entries(given as Headers).map(([name, values]) => [name, [...values]]),
      ),
    )
  },
}

/** Rejects line breaks in names and values, which would add headers. */
function isHeader([name, values]: [string, unknown]): boolean {
  return /^[!-9;-~]+$/.test(name) && Array.isArray(values) && values.every(isOneLine)
}

const isOneLine = (value: unknown) => typeof value === 'string' && /^[^\r\n\0]*$/.test(value)

const templateMustBe =
  'must be a URL, a path on the site that starts with "/", a file such as "./mails/invite.html"'

/** A template of a mail, or in code one per language. */
export const mailTemplate: Parser<
  ResolvedMailTemplate | null,
  MailBody | Readonly<Record<string, MailBody>>
> = {
  name: 'URL or file',
  emptyMeansAbsent: true,
  parse: (text) => reads(text.trim()),
  check: (given) => (isRecord(given) ? checkAll(given) : check(given)),
}

function check(given: unknown): Reading<string | MailTemplate> {
  if (typeof given === 'function') return reads(given as MailTemplate)
  if (typeof given === 'string' && isTemplateFile(given)) return reads(given)
  const reading = urlOrPath.check(given)
  return isFailure(reading) ? fails(`${templateMustBe}, or in code a function`) : reading
}

function checkAll(given: Record<string, unknown>): Reading<ResolvedMailTemplate> {
  const readings = Object.entries(given)
    .filter(([, template]) => template !== undefined)
    .map(([language, template]) => ({ language, reading: checkOne(language, template) }))
  const problems = readings.flatMap(({ language, reading }) =>
    isFailure(reading)
      ? reading.problems.map(({ message }) => ({ at: `.${language}`, message }))
      : [],
  )
  if (problems.length > 0) return { problems }
  return reads(
    Object.fromEntries(
      readings.flatMap(({ language, reading }) =>
        isFailure(reading) ? [] : [[language, reading.value]],
      ),
    ),
  )
}

const checkOne = (language: string, template: unknown): Reading<string | MailTemplate> =>
  /^[a-z]{2,3}$/.test(language)
    ? check(template)
    : fails('must be a language such as "de", without a region')

/** Reports whether a template is a file: a relative path, or a URL of `file:`. */
export const isTemplateFile = (template: string): boolean =>
  !template.includes('\0') && /^(?:\.{1,2}\/[^/]|file:\/\/\/[^/])/.test(template)
