import { boolean, oneOf } from '../kinds/choices.ts'
import { cacheStorage, logger } from '../kinds/code-only.ts'
import { seconds } from '../kinds/numbers.ts'
import { redirectTargets } from '../kinds/redirect-targets.ts'
import { mountPath } from '../kinds/texts.ts'
import { siteUrl, webUrl } from '../kinds/urls.ts'
import { live } from '../setting.ts'

export const siteSettings = [
  live('siteUrl', {
    env: 'SITE_URL',
    kind: siteUrl,
    defaultText: 'required',
    description:
      'Base URL of the application: where redirects end by default, and what relative template URLs build on.',
  }),
  live('externalUrl', {
    env: 'API_EXTERNAL_URL',
    bare: ['API_EXTERNAL_URL'],
    gotrue: ['API_EXTERNAL_URL', 'API_API_EXTERNAL_URL'],
    kind: webUrl,
    defaultText: 'required; in code, `siteUrl` + `basePath`',
    description: 'URL under which clients and mailed links reach the service.',
  }),
  live('basePath', {
    env: null,
    kind: mountPath,
    default: '',
    description: 'Path that the service is mounted under in an application.',
  }),
  live('development', {
    env: null,
    kind: boolean,
    default: false,
    description:
      'Fills in database, keys and URLs, and shows mails and SMS instead of sending them; `latchkey dev` sets it, `NODE_ENV=production` forbids it.',
  }),
  live('logger', {
    env: null,
    kind: logger,
    default: null,
    defaultText: 'warnings and errors on stderr',
    description:
      'Where diagnostics go when the service is part of an application: an object with the methods `debug`, `info`, `warn`, `error` and `fatal`, each taking fields and a message, as a pino logger does; `false` asks for silence.',
  }),
  live('storage', {
    env: null,
    kind: cacheStorage,
    default: null,
    defaultText: 'the memory of each process',
    description:
      'Where processes share copies of what OpenID providers publish, and ranges of known passwords: a storage of unstorage, which only the application writes to.',
  }),
  live('redirects.allowList', {
    env: 'URI_ALLOW_LIST',
    kind: redirectTargets,
    default: [],
    description: 'Globs of permitted redirect targets beside the site itself: `docs/redirects.md`.',
  }),
  live('redirects.onDenied', {
    env: 'REDIRECTS_ON_DENIED',
    kind: oneOf(['fallback', 'reject']),
    default: 'fallback',
    description:
      'Whether a target that is not permitted becomes the site, or the request is answered 400.',
  }),
  live('links.confirm', {
    env: 'LINKS_CONFIRM',
    kind: oneOf(['none', 'button']),
    default: 'none',
    description:
      'Whether opening a mailed link is enough, or shows a page with a button, which programs that check mails do not press: `docs/links.md`.',
  }),
  live('signUp.disabled', {
    env: 'DISABLE_SIGNUP',
    kind: boolean,
    default: false,
    description: 'Leaves invitations and administrators as the only ways to make users.',
  }),
  live('auditLog.disablePostgres', {
    env: 'AUDIT_LOG_DISABLE_POSTGRES',
    kind: boolean,
    default: false,
    description: 'Keeps audit events out of the database; they go to the log alone.',
  }),
  live('auditLog.retentionSeconds', {
    env: 'AUDIT_LOG_RETENTION',
    kind: seconds(),
    default: 365 * 24 * 60 * 60,
    description:
      'How long entries of the audit log are kept; 0 keeps them for good: `docs/audit.md`.',
  }),
]
