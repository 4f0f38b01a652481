import { parseTemplate } from '../../go-template/parse-template.ts'
import type { Template } from '../../go-template/syntax.ts'
import type { Language } from './languages.ts'
import { pageLayout, textLayout } from './layout.ts'
import type { MailKind } from './mail.ts'
import type { MailTexts } from './mail-text.ts'
import { confirmation } from './mails/confirmation.ts'
import { emailChange } from './mails/email-change.ts'
import { emailChanged } from './mails/email-changed.ts'
import { identityLinked } from './mails/identity-linked.ts'
import { identityUnlinked } from './mails/identity-unlinked.ts'
import { invite } from './mails/invite.ts'
import { magicLink } from './mails/magic-link.ts'
import { mfaFactorEnrolled } from './mails/mfa-factor-enrolled.ts'
import { mfaFactorUnenrolled } from './mails/mfa-factor-unenrolled.ts'
import { mfaRecoveryCodeUsed } from './mails/mfa-recovery-code-used.ts'
import { passwordChanged } from './mails/password-changed.ts'
import { phoneChanged } from './mails/phone-changed.ts'
import { reauthentication } from './mails/reauthentication.ts'
import { recovery } from './mails/recovery.ts'
import { trustedDeviceAdded } from './mails/trusted-device-added.ts'

/** What the mails say where the operator says nothing else. */
export const builtInTexts: Readonly<Record<MailKind, MailTexts>> = {
  invite,
  confirmation,
  recovery,
  magicLink,
  emailChange,
  reauthentication,
  passwordChanged,
  emailChanged,
  phoneChanged,
  identityLinked,
  identityUnlinked,
  mfaFactorEnrolled,
  mfaFactorUnenrolled,
  mfaRecoveryCodeUsed,
  trustedDeviceAdded,
}

/** A built-in mail, ready to be filled. */
export interface BuiltInMail {
  subject: Template
  page: Template
  text: Template
}

/** Finds built-in mails, each of which is parsed when it is first needed. */
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
  const text = builtInTexts[kind][language]
  return {
    subject: parseTemplate(text.subject),
    page: parseTemplate(pageLayout(language, text)),
    text: parseTemplate(textLayout(language, text)),
  }
}
