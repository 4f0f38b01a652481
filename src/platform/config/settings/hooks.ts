import { boolean } from '../parsers/choices.ts'
import { hookFunction } from '../parsers/code-only.ts'
import { hookSecrets } from '../parsers/secrets.ts'
import { hookUri } from '../parsers/urls.ts'
import type { HookPoint } from '../sections/hooks.ts'
import { live } from '../setting.ts'

/** The hook points, in code and in the environment. */
export const hookPoints: readonly { name: HookPoint; env: string }[] = [
  { name: 'customAccessToken', env: 'CUSTOM_ACCESS_TOKEN' },
  { name: 'sendEmail', env: 'SEND_EMAIL' },
  { name: 'sendSms', env: 'SEND_SMS' },
  { name: 'beforeUserCreated', env: 'BEFORE_USER_CREATED' },
  { name: 'afterUserCreated', env: 'AFTER_USER_CREATED' },
  { name: 'events', env: 'EVENTS' },
  { name: 'passwordVerificationAttempt', env: 'PASSWORD_VERIFICATION_ATTEMPT' },
  { name: 'mfaVerificationAttempt', env: 'MFA_VERIFICATION_ATTEMPT' },
]

/** One row of the documentation describes all points. */
const named = (suffix: string, member: string) => ({
  env: `HOOK_<POINT>_${suffix}`,
  path: `hooks.<point>.${member}`,
})

export const hookSettings = hookPoints.flatMap(({ name, env }) => [
  live(`hooks.${name}.enabled`, {
    env: `HOOK_${env}_ENABLED`,
    parser: boolean,
    default: false,
    defaultText: 'false; in code, true for a configured hook',
    onWhenNamed: true,
    family: named('ENABLED', 'enabled'),
    description: 'Calls the application at this point.',
  }),
  live(`hooks.${name}.uri`, {
    env: `HOOK_${env}_URI`,
    parser: hookUri,
    default: null,
    defaultText: 'required when enabled',
    family: named('URI', 'uri'),
    description: 'Address of the hook: a URL, or `pg-functions://postgres/<schema>/<function>`.',
  }),
  live(`hooks.${name}.secrets`, {
    env: `HOOK_${env}_SECRETS`,
    parser: hookSecrets,
    default: [],
    secret: true,
    family: named('SECRETS', 'secrets'),
    description: 'Secrets of Standard Webhooks that sign its requests, separated by `|`.',
  }),
  live(`hooks.${name}.run`, {
    env: null,
    parser: hookFunction,
    default: null,
    family: { env: null, path: 'hooks.<point>' },
    description: 'A function in place of a URL.',
  }),
])
