import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import type { Template } from '../../platform/go-template/syntax.ts'
import type { Language } from '../../platform/kit/languages.ts'
import { type MailKind, mails } from '../../platform/mails/mails.ts'
import { pageLayout, textLayout } from './layout.ts'

/** A built-in mail, parsed for rendering. */
export interface BuiltInMail {
  subject: Template
  page: Template
  text: Template
}

/** Finds built-in mails, each of which is parsed at its first use. */
export function createBuiltInMails(): (kind: MailKind, language: Language) => BuiltInMail {
  const parsed = new Map<string, BuiltInMail>()
  return (kind, language) => {
    const key = `${kind} ${language}`
    const mail = parsed.get(key) ?? parseMail(kind, language)
    parsed.set(key, mail)
    return mail
  }
}

function parseMail(kind: MailKind, language: Language): BuiltInMail {
  const text = mails[kind].texts[language]
  return {
    subject: parseTemplate(text.subject),
    page: parseTemplate(pageLayout(language, text)),
    text: parseTemplate(textLayout(language, text)),
  }
}
