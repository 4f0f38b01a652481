import type { ResolvedProvider } from '../sections/providers.ts'
import { settings } from '../settings.ts'
import type { Rule, RuleContext } from './rule.ts'

/** A mail server is either described whole or not at all; without one, something else must send. */
export const requireMail: Rule = ({ config, given, report }) => {
  const { email, hooks } = config
  const parts = ['host', 'port', 'user', 'pass'].map((part) => `email.smtp.${part}`)
  if (parts.some(given.has)) {
    const needed = ['email.smtp.host', 'email.smtp.port', 'email.from.address']
    if (given.has('email.smtp.user')) needed.push('email.smtp.pass')
    if (given.has('email.smtp.pass')) needed.push('email.smtp.user')
    for (const path of needed) {
      if (!given.has(path)) report.problem(path, 'is required to send mail by SMTP')
    }
    return
  }
  if (email.send !== null) return
  const isNeeded = email.enabled && !email.autoconfirm && !config.development
  if (!isNeeded || hooks.sendEmail.enabled || report.hasProblem('email.autoconfirm')) return
  report.problem(
    'email.smtp.host',
    `is required to send mail. Or set ${report.name('hooks.sendEmail')}, or ` +
      `${report.name('email.autoconfirm')} when nothing shall be sent`,
  )
}

/** A provider that is switched on must be able to work. */
export const requireProviderCredentials: Rule = (context) => {
  for (const [name, provider] of Object.entries(context.config.providers)) {
    if (provider.enabled) requireCredentials(context, name, provider)
  }
}

function requireCredentials(
  { given, report }: RuleContext,
  name: string,
  provider: ResolvedProvider,
): void {
  const needed = ['clientId', 'clientSecret']
  if (provider.redirectUri === null) needed.push('redirectUri')
  if (name === 'keycloak') needed.push('url')
  const missing = needed
    .map((member) => `providers.${name}.${member}`)
    .filter((path) => !given.has(path))
  const isBuilt = settings.some(
    ({ path, status }) => path === `providers.${name}.enabled` && status === 'live',
  )
  if (missing.length > 0 && !isBuilt) {
    report.problem(`providers.${name}`, 'is not built yet, and incomplete: leave it out')
  }
  for (const path of missing) report.problem(path, `is required because ${name} is enabled`)
}

/** Whatever else is switched on needs what it works with. */
export const requireCompanions: Rule = ({ config, given, report }) => {
  if (config.saml.enabled && !given.has('saml.privateKey')) {
    report.problem('saml.privateKey', 'is required because SAML is enabled')
  }
  for (const [point, hook] of Object.entries(config.hooks)) {
    const uri = `hooks.${point}.uri`
    const isRefused = report.hasProblem(`hooks.${point}.enabled`)
    if (hook.enabled && !isRefused && !given.has(uri) && hook.run === null) {
      report.problem(uri, 'is required because the hook is enabled')
    }
  }
}

/** Each lane of a hash needs eight blocks of memory. @see RFC 9106 §3.1 */
export const requireHashMemory: Rule = ({ config, report }) => {
  const { memoryKib, parallelism } = config.passwords.argon2
  if (memoryKib >= 8 * parallelism) return
  report.problem(
    'passwords.argon2.memoryKib',
    `must be at least ${8 * parallelism}, 8 for each of ${parallelism} lanes`,
  )
}
