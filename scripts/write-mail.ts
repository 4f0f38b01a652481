/** Writes the table of mails into docs/mail.md: `npm run docs`. */

import { sampleMail } from '../src/delivery/mail/mail.ts'
import { type MailKind, mailKinds, mails } from '../src/platform/mails/mails.ts'
import { code, pageWithTable, renderTable } from './page-table.ts'

export function renderMail(): string {
  const rows = mailKinds.map(rowOf)
  const table = renderTable(['`<KIND>`', 'In code', 'Default subject', 'Variables'], rows)
  return pageWithTable('mail.md', 'write-mail.ts', table)
}

/** Variables of all mails, which are not repeated. */
const common = ['SiteURL', 'Email', 'Data']

function rowOf(name: MailKind): string[] {
  const variables = Object.keys(sampleMail(name, '', 'en').variables)
  const own = variables.filter((variable) => !common.includes(variable))
  return [
    code(envOf(name)),
    code(name),
    quoted(mails[name].texts.en.subject),
    own.map(code).join(', '),
  ]
}

/** Formats a subject with template syntax as code, so that the site does not evaluate it. */
const quoted = (subject: string): string => (subject.includes('{{') ? code(subject) : subject)

/** Converts `magicLink` to `MAGIC_LINK`. */
const envOf = (name: string): string => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()
