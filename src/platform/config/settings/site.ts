import { boolean, oneOf } from '../parsers/choices.ts'
import { cacheStorage, logger } from '../parsers/code-only.ts'
import { seconds } from '../parsers/numbers.ts'
import { redirectTargets } from '../parsers/redirect-targets.ts'
import { mountPath } from '../parsers/texts.ts'
import { siteUrl, webUrl } from '../parsers/urls.ts'
import { live } from '../setting.ts'

export const siteSettings = [
  live('siteUrl', {
    env: 'SITE_URL',
    parser: siteUrl,
    defaultText: 'required',
    description:
      'Base URL of the application: the default redirect target, and the base of relative template URLs.',
  }),
  live('externalUrl', {
    env: 'API_EXTERNAL_URL',
    bare: ['API_EXTERNAL_URL'],
    gotrue: ['API_EXTERNAL_URL', 'API_API_EXTERNAL_URL'],
    parser: webUrl,
    defaultText:
      'required; in code, `siteUrl` + `basePath`; in development without `basePath`, this machine',
    description: 'URL under which clients and mailed links reach the service.',
  }),
  live('basePath', {
    env: null,
    parser: mountPath,
    default: '',
    description: 'Path that the service is mounted under in an application.',
  }),
  live('development', {
    env: null,
    parser: boolean,
    default: false,
    description:
      'Supplies database, keys and URLs, and shows mails and SMS instead of sending them; `latchkey dev` sets it, `NODE_ENV=production` forbids it.',
  }),
  live('logger', {
    env: null,
    parser: logger,
    default: null,
    defaultText: 'warnings and errors on stderr',
    description:
      'Logger when the service is part of an application: an object with the methods `debug`, `info`, `warn`, `error` and `fatal`, each called with fields and a message, such as a pino logger, or `console` (without `fatal`, `error` is called); `false` disables logging.',
  }),
  live('storage', {
    env: null,
    parser: cacheStorage,
    default: null,
    defaultText: 'the memory of each process',
    description:
      'Cache that processes share for the published data of OpenID providers, and ranges of breached passwords: a storage of unstorage, to which only the application has write access.',
  }),
  live('redirects.allowList', {
    env: 'URI_ALLOW_LIST',
    parser: redirectTargets,
    default: [],
    description:
      'Globs of permitted redirect targets in addition to the site: `docs/redirects.md`.',
  }),
  live('redirects.onDenied', {
    env: 'REDIRECTS_ON_DENIED',
    parser: oneOf(['fallback', 'reject']),
    default: 'fallback',
    description:
      'Whether a target that is not permitted is replaced by the site, or the request gets a 400.',
  }),
  live('links.confirm', {
    env: 'LINKS_CONFIRM',
    parser: oneOf(['none', 'button']),
    default: 'none',
    description:
      'Whether opening a mailed link is sufficient, or shows a page with a button, which mail scanners do not press: `docs/links.md`.',
  }),
  live('signUp.disabled', {
    env: 'DISABLE_SIGNUP',
    parser: boolean,
    default: false,
    description: 'Allows only invitations and administrators to create users.',
  }),
  live('auditLog.disablePostgres', {
    env: 'AUDIT_LOG_DISABLE_POSTGRES',
    parser: boolean,
    default: false,
    description: 'Does not store audit entries in the database; they are written to the log only.',
  }),
  live('auditLog.retentionSeconds', {
    env: 'AUDIT_LOG_RETENTION',
    parser: seconds(),
    default: 365 * 24 * 60 * 60,
    description: 'Retention of audit entries; 0 for unlimited: `docs/audit.md`.',
  }),
]
