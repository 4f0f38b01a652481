import { boolean, oneOf } from '../parsers/choices.ts'
import { sendMail } from '../parsers/code-only.ts'
import { jsonOrList, list } from '../parsers/lists.ts'
import { mailHeaders } from '../parsers/mails.ts'
import { integer, port, seconds } from '../parsers/numbers.ts'
import { domain, emailAddress, hostAndPort, mailHost, text } from '../parsers/texts.ts'
import { webUrl } from '../parsers/urls.ts'
import { live } from '../setting.ts'

export const emailSettings = [
  live('email.enabled', {
    env: 'EXTERNAL_EMAIL_ENABLED',
    parser: boolean,
    default: true,
    description:
      'Sign-up and sign-in by email, also of existing users, with password, code or link: `docs/mail.md`.',
  }),
  live('email.autoconfirm', {
    env: 'MAILER_AUTOCONFIRM',
    parser: boolean,
    default: false,
    description: 'Confirms addresses without a mail.',
  }),
  live('email.otpLifetimeSeconds', {
    env: 'MAILER_OTP_EXP',
    parser: seconds({ min: 0.001, outside: 86_400 }),
    default: 86_400,
    bounds: { unit: 'seconds', unusual: 86_400, ceiling: 604_800, source: 'OWASP ASVS 5.0 §6.5.5' },
    description: 'Lifetime of mailed links and codes.',
  }),
  live('email.otpLength', {
    env: 'MAILER_OTP_LENGTH',
    parser: integer('digits', { min: 6, max: 10, outside: 6 }),
    default: 6,
    description: 'Length of mailed codes, 6 to 10.',
  }),
  live('email.magicLinkEnabled', {
    env: 'EXTERNAL_EMAIL_MAGIC_LINK_ENABLED',
    parser: boolean,
    default: true,
    description: 'Sign-in by mailed link or code.',
  }),
  live('email.authorizedAddresses', {
    env: 'EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES',
    parser: list(emailAddress),
    default: [],
    defaultText: 'everyone',
    description: 'The only addresses that mail is sent to.',
  }),
  live('email.allowUnverifiedSignIns', {
    env: 'MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS',
    parser: boolean,
    default: false,
    description: 'Accepts sign-ins through a provider that has not verified the address.',
  }),
  live('email.secureChangeEnabled', {
    env: 'MAILER_SECURE_EMAIL_CHANGE_ENABLED',
    parser: boolean,
    default: true,
    description: 'Requires that the old address confirms a change, too.',
  }),
  live('email.from.address', {
    env: 'SMTP_ADMIN_EMAIL',
    parser: emailAddress,
    default: null,
    defaultText: 'required with SMTP',
    description: 'Sender address of mails.',
  }),
  live('email.from.name', {
    env: 'SMTP_SENDER_NAME',
    parser: text,
    default: null,
    defaultText: 'the address; in the texts of mails `pages.name`, else the host of `siteUrl`',
    description: 'Sender name of mails, and the name of the application in their texts.',
  }),
  live('email.send', {
    env: null,
    parser: sendMail,
    default: null,
    description: 'A function that sends mails in place of a mail server.',
  }),
  live('email.smtp.host', {
    env: 'SMTP_HOST',
    parser: text,
    default: null,
    defaultText: 'required unless a hook sends, or no mail is sent',
    description: 'Host of the mail server.',
  }),
  live('email.smtp.port', {
    env: 'SMTP_PORT',
    parser: port,
    default: null,
    defaultText: 'required with SMTP',
    description: 'Port of the mail server; 465 uses TLS from the first byte.',
  }),
  live('email.smtp.implicitTls', {
    env: null,
    parser: boolean,
    default: null,
    defaultText: 'true for port 465',
    description: 'Uses TLS from the first byte; otherwise by STARTTLS, if the server offers it.',
  }),
  live('email.smtp.tls', {
    env: 'SMTP_TLS',
    parser: oneOf(['required', 'opportunistic']),
    default: 'required',
    description:
      'Whether hosts that are neither loopback nor private must support TLS; `opportunistic` sends links and codes unencrypted if they do not, but never a password.',
  }),
  live('email.smtp.user', {
    env: 'SMTP_USER',
    parser: text,
    default: null,
    description: 'User name at the mail server, if it requires one.',
  }),
  live('email.smtp.pass', {
    env: 'SMTP_PASS',
    parser: text,
    default: null,
    secret: true,
    description: 'Password there.',
  }),
  live('email.smtp.headers', {
    env: 'SMTP_HEADERS',
    parser: mailHeaders,
    default: {},
    secret: true,
    description: 'Extra headers of every mail: names with lists of values.',
  }),
  live('email.smtp.loggingEnabled', {
    env: 'SMTP_LOGGING_ENABLED',
    parser: boolean,
    default: false,
    description: 'Logs every attempt to send a mail, by kind and domain.',
  }),
  live('email.maxFrequencySeconds', {
    env: 'SMTP_MAX_FREQUENCY',
    parser: seconds(),
    default: null,
    defaultText: '900 for confirmations, 60 for other mails',
    description: 'Minimum time between two mails to one address.',
  }),
  live('email.externalHosts', {
    env: 'MAILER_EXTERNAL_HOSTS',
    parser: list(hostAndPort),
    default: [],
    description: 'Hosts that mailed links may contain if a proxy names them in `X-Forwarded-Host`.',
  }),
  live('email.validation.extended', {
    env: 'MAILER_EMAIL_VALIDATION_EXTENDED',
    parser: boolean,
    default: false,
    description:
      'Rejects addresses of well-known placeholders, and of domains that accept no mail: `docs/mail.md`.',
  }),
  live('email.validation.serviceUrl', {
    env: 'MAILER_EMAIL_VALIDATION_SERVICE_URL',
    parser: webUrl,
    default: null,
    description: 'Service that validates addresses.',
  }),
  live('email.validation.serviceHeaders', {
    env: 'MAILER_EMAIL_VALIDATION_SERVICE_HEADERS',
    parser: mailHeaders,
    default: {},
    secret: true,
    description: 'Headers of requests to that service: names with lists of values.',
  }),
  live('email.validation.blockedMx', {
    env: 'MAILER_EMAIL_VALIDATION_BLOCKED_MX',
    parser: jsonOrList(mailHost),
    default: [],
    description: 'Hosts or addresses of mail servers; domains that use them are rejected.',
  }),
  live('email.validation.blockedDomains', {
    env: 'MAILER_EMAIL_VALIDATION_BLOCKED_DOMAINS',
    parser: jsonOrList(domain),
    default: [],
    description:
      'Domains whose addresses are rejected, with their subdomains: for example disposable ones.',
  }),
]
