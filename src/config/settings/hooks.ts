import { boolean } from '../kinds/choices.ts'
import { hookFunction } from '../kinds/code-only.ts'
import { hookSecrets } from '../kinds/secrets.ts'
import { hookUri } from '../kinds/urls.ts'
import type { HookPoint } from '../sections/hooks.ts'
import { live, offersLater, protectsLater, type Setting } from '../setting.ts'

/** The points, as code and the environment spell them. */
export const hookPoints: readonly { name: HookPoint; env: string }[] = [
  { name: 'customAccessToken', env: 'CUSTOM_ACCESS_TOKEN' },
  { name: 'sendEmail', env: 'SEND_EMAIL' },
  { name: 'sendSms', env: 'SEND_SMS' },
  { name: 'beforeUserCreated', env: 'BEFORE_USER_CREATED' },
  { name: 'afterUserCreated', env: 'AFTER_USER_CREATED' },
  { name: 'passwordVerificationAttempt', env: 'PASSWORD_VERIFICATION_ATTEMPT' },
  { name: 'mfaVerificationAttempt', env: 'MFA_VERIFICATION_ATTEMPT' },
]

/**
 * Those with rows of their own in the documentation, and those that are asked in this version. The others
 * share their rows. What documentation has one row for is spelled with a choice.
 */
const rows: { [name in HookPoint]?: { env: string; path: string } } = {
  sendEmail: { env: 'SEND_<EMAIL or SMS>', path: 'send<Email or Sms>' },
  sendSms: { env: 'SEND_<EMAIL or SMS>', path: 'send<Email or Sms>' },
  mfaVerificationAttempt: { env: 'MFA_VERIFICATION_ATTEMPT', path: 'mfaVerificationAttempt' },
  afterUserCreated: { env: 'AFTER_USER_CREATED', path: 'afterUserCreated' },
}

/** Who is asked in this version; who would only be told of something; and who may refuse or add claims. */
const statuses: Record<HookPoint, Setting['status']> = {
  sendEmail: 'live',
  sendSms: 'live',
  mfaVerificationAttempt: 'live',
  afterUserCreated: 'offers-later',
  customAccessToken: 'protects-later',
  beforeUserCreated: 'protects-later',
  passwordVerificationAttempt: 'protects-later',
}

const placeholder = (name: HookPoint) => rows[name] ?? { env: '<POINT>', path: '<point>' }

function named(name: HookPoint, suffix: string, member: string) {
  const { env, path } = placeholder(name)
  return { env: `HOOK_${env}_${suffix}`, path: `hooks.${path}.${member}` }
}

const defineSwitch = (name: HookPoint) =>
  ({ live, 'offers-later': offersLater, 'protects-later': protectsLater })[statuses[name]]

/** What belongs to a hook protects nobody while the hook is off. */
const defineMember = (name: HookPoint) => (statuses[name] === 'live' ? live : offersLater)

export const hookSettings = hookPoints.flatMap(({ name, env }) => [
  defineSwitch(name)(`hooks.${name}.enabled`, {
    env: `HOOK_${env}_ENABLED`,
    kind: boolean,
    default: false,
    defaultText: 'false; in code, true for a hook that is named',
    onWhenNamed: true,
    family: named(name, 'ENABLED', 'enabled'),
    description: 'Asks or tells the application at this point.',
  }),
  defineMember(name)(`hooks.${name}.uri`, {
    env: `HOOK_${env}_URI`,
    kind: hookUri,
    default: null,
    defaultText: 'required when enabled',
    family: named(name, 'URI', 'uri'),
    description: 'Where the hook is: a URL, or `pg-functions://postgres/<schema>/<function>`.',
  }),
  defineMember(name)(`hooks.${name}.secrets`, {
    env: `HOOK_${env}_SECRETS`,
    kind: hookSecrets,
    default: [],
    secret: true,
    family: named(name, 'SECRETS', 'secrets'),
    description: 'Secrets of Standard Webhooks that sign requests to it, separated by `|`.',
  }),
  defineMember(name)(`hooks.${name}.run`, {
    env: null,
    kind: hookFunction,
    default: null,
    family: { env: null, path: `hooks.${placeholder(name).path}` },
    description: 'A function in its place.',
  }),
])
