import type { MailDefinition } from '../../mails/mail-definition.ts'
import { actionMails, linkMails, notificationMails } from '../../mails/mails.ts'
import { boolean } from '../parsers/choices.ts'
import { mailTemplate } from '../parsers/mails.ts'
import { integer, seconds } from '../parsers/numbers.ts'
import { template } from '../parsers/texts.ts'
import { urlOrPath } from '../parsers/urls.ts'
import { live } from '../setting.ts'

/** Returns the mails with their names in settings: `magicLink` and `MAGIC_LINK`. */
const named = <Kind extends string>(mails: Readonly<Record<Kind, MailDefinition>>) =>
  (Object.keys(mails) as Kind[]).map((name) => ({
    name,
    env: name.replaceAll(/[A-Z]/g, '_$&').toUpperCase(),
    defaultSubject: mails[name].texts.en.subject,
    purpose: mails[name].purpose,
  }))

const notifications = named(notificationMails)

/** GoTrue's names of the subjects and templates of notifications have a suffix. */
const mails = [
  ...named(actionMails).map((mail) => ({ ...mail, otherSpellings: [] })),
  ...notifications.map((mail) => ({ ...mail, otherSpellings: [`${mail.env}_NOTIFICATION`] })),
]

export const mailTextSettings = [
  ...mails.map(({ name, env, otherSpellings, defaultSubject, purpose }) =>
    live(`email.subjects.${name}`, {
      env: `MAILER_SUBJECTS_${env}`,
      aliases: otherSpellings.map((spelling) => `MAILER_SUBJECTS_${spelling}`),
      parser: template,
      default: defaultSubject,
      description: `Subject of the mail that ${purpose}.`,
    }),
  ),
  ...mails.map(({ name, env, otherSpellings, purpose }) =>
    live(`email.templates.${name}`, {
      env: `MAILER_TEMPLATES_${env}`,
      aliases: otherSpellings.map((spelling) => `MAILER_TEMPLATES_${spelling}`),
      parser: mailTemplate,
      default: null,
      defaultText: 'built in',
      description: `Template of the mail that ${purpose}: a URL, a path on the site, or a file. In code also a function.`,
    }),
  ),
  ...named(linkMails).map(({ name, env, purpose }) =>
    live(`email.urlPaths.${name}`, {
      env: `MAILER_URLPATHS_${env}`,
      parser: urlOrPath,
      default: '/verify',
      defaultText:
        name === 'magicLink' ? 'that of recovery' : '`/verify`; in code, `basePath` + `/verify`',
      description: `Target of the link in the mail that ${purpose}: a path, or a URL.`,
    }),
  ),
  ...notifications.map(({ name, env, purpose }) =>
    live(`email.notifications.${name}`, {
      env: `MAILER_NOTIFICATIONS_${env}_ENABLED`,
      parser: boolean,
      default: false,
      description: `Sends the mail that ${purpose}.`,
    }),
  ),
  live('email.templateFetch.maxSizeBytes', {
    env: 'MAILER_TEMPLATE_MAX_SIZE',
    parser: integer('bytes', { min: 1 }),
    default: 1_000_000,
    bounds: { unit: 'bytes', unusual: 1_048_576, ceiling: 16_777_216, source: 'OWASP API4:2023' },
    description: 'Maximum size of a template.',
  }),
  live('email.templateFetch.maxAgeSeconds', {
    env: 'MAILER_TEMPLATE_MAX_AGE',
    parser: seconds(),
    default: 600,
    description: 'How long a fetched template is used.',
  }),
  live('email.templateFetch.retryIntervalSeconds', {
    env: 'MAILER_TEMPLATE_RETRY_INTERVAL',
    parser: seconds(),
    default: 10,
    description: 'Pause after a failed fetch of a template.',
  }),
  live('email.templateFetch.reloadingEnabled', {
    env: 'MAILER_TEMPLATE_RELOADING_ENABLED',
    parser: boolean,
    default: false,
    description: 'Fetches templates before mails need them.',
  }),
  live('email.templateFetch.reloadingMaxIdleSeconds', {
    env: 'MAILER_TEMPLATE_RELOADING_MAX_IDLE',
    parser: seconds(),
    default: 1_200,
    description: 'Time without a mail after which templates are no longer fetched in advance.',
  }),
]
