import { capabilityGroups } from './capability-settings.ts'
import type { ProviderName } from './provider-names.ts'
import type { Setting } from './setting.ts'
import { databaseSettings } from './settings/database.ts'
import { emailSettings } from './settings/email.ts'
import { factorSettings } from './settings/factors.ts'
import { hookSettings } from './settings/hooks.ts'
import { mailTextSettings } from './settings/mail-texts.ts'
import { passwordSettings } from './settings/passwords.ts'
import { providerSettings, settingsOfProvider } from './settings/providers.ts'
import { rateLimitSettings } from './settings/rate-limits.ts'
import { securitySettings } from './settings/security.ts'
import { backgroundSettings, serverSettings } from './settings/server.ts'
import { signInSettings } from './settings/sign-in.ts'
import { siteSettings } from './settings/site.ts'
import { smsCarrierSettings, smsSettings } from './settings/sms.ts'
import { telemetrySettings } from './settings/telemetry.ts'
import { tokenSettings } from './settings/tokens.ts'

/** Related settings, in reading order. */
export const settingGroups = [
  { title: 'Site', settings: siteSettings },
  { title: 'Server and log', settings: serverSettings },
  { title: 'Background work', settings: backgroundSettings },
  { title: 'Database', settings: databaseSettings },
  { title: 'Tokens and sessions', settings: tokenSettings },
  { title: 'Passwords', settings: passwordSettings },
  { title: 'Security', settings: securitySettings },
  { title: 'Email', settings: emailSettings },
  { title: 'Mails', settings: mailTextSettings },
  { title: 'Phone and SMS', settings: smsSettings },
  { title: 'SMS carriers', settings: smsCarrierSettings },
  { title: 'External providers', settings: providerSettings },
  { title: 'Other ways to sign in', settings: signInSettings },
  { title: 'Second factors and passkeys', settings: factorSettings },
  ...capabilityGroups,
  { title: 'Hooks', settings: hookSettings },
  { title: 'Rate limits', settings: rateLimitSettings },
  { title: 'Observability', settings: telemetrySettings },
] as const

/** The resolved paths of all settings, which are all of `Config`. */
export type SettingPath = (typeof settingGroups)[number]['settings'][number]['resolvedPath']

/** All settings: the only source of names, defaults and descriptions. */
export const settings: readonly Setting[] = settingGroups.flatMap(
  (group): readonly Setting[] => group.settings,
)

/** Returns the setting at a path in code. */
export const settingAt = (path: string): Setting | undefined =>
  settings.find((setting) => setting.path === path)

/** Returns all settings, including the settings of the application's own providers. */
export const settingsWith = (customProviders: readonly string[]): readonly Setting[] => [
  ...settings,
  // These have the settings of any provider, but no names in the environment, which cannot contain
  // definitions.
  ...customProviders
    .flatMap((name) => settingsOfProvider(name as ProviderName))
    .map((setting) => ({ ...setting, env: null, aliases: [], gotrue: [] })),
]

const live: ReadonlySet<string> = new Set(
  settings.filter(({ status }) => status === 'live').map(({ resolvedPath }) => resolvedPath),
)

/** Reports whether the setting at a resolved path has an effect in this version. */
export const isLive = (path: SettingPath): boolean => live.has(path)
