import type { Config } from '../../platform/config/config.ts'
import { boolean } from '../../platform/config/parsers/choices.ts'
import { list } from '../../platform/config/parsers/lists.ts'
import type { Given } from '../../platform/config/read-settings.ts'
import type { Rule } from '../../platform/config/rules/rule.ts'
import { live } from '../../platform/config/setting.ts'
import { challengedFactorTypes, factorSwitches } from '../../platform/factor-kinds/factor-kinds.ts'

export const settingsTitle = 'Console'

export const settings = [
  live('console.enabled', {
    env: 'CONSOLE_ENABLED',
    parser: boolean,
    default: false,
    description: 'Operator console below the mount: `docs/console.md`. It enables the pages, too.',
  }),
  live('console.viewerRoles', {
    env: 'CONSOLE_VIEWER_ROLES',
    parser: list(),
    default: ['console_viewer'],
    description: 'Roles of users who see the console and change nothing.',
  }),
] as const

/** Enables the pages, on which operators sign in and prove their factors. */
export function deriveDefaults(config: Config, given: Given): void {
  if (config.console.enabled && !given.has('pages.enabled')) config.pages.enabled = true
}

/** Roles that every user or visitor of a service may have, whatever the settings. */
const commonRoles = ['authenticated', 'anon']

/** Rejects viewers whom no operator appointed. */
const rejectCommonViewerRoles: Rule = ({ config, report }) => {
  const { viewerRoles } = config.console
  const { defaultRole, adminRoles } = config.jwt
  const path = 'console.viewerRoles'
  const find = (roles: readonly string[]) =>
    viewerRoles.find((role) => roles.some((one) => one.toLowerCase() === role.toLowerCase()))
  if (find([defaultRole]) !== undefined) {
    report.problem(
      path,
      `must not contain ${report.name('jwt.defaultRole')}: every new user would see all others`,
    )
    return
  }
  const common = find(commonRoles)
  if (common !== undefined) {
    report.problem(
      path,
      `must not contain ${common}: users, or visitors without an account, have that role`,
    )
  }
  const admin = find(adminRoles)
  if (admin !== undefined) {
    report.problem(
      path,
      `must not contain ${admin}, which is one of ${report.name('jwt.adminRoles')}: its users change everything`,
    )
  }
}

/** Rejects a console without the pages on which its operators sign in. */
const requirePages: Rule = ({ config, report }) => {
  if (!config.console.enabled || config.pages.enabled) return
  report.problem(
    'pages.enabled',
    `is required by ${report.name('console.enabled')}: operators sign in on the pages`,
  )
}

/** Rejects a console that no operator can open: each of its pages requires a second factor. */
const requireFactors: Rule = ({ config, report }) => {
  if (!config.console.enabled) return
  if (challengedFactorTypes.some((type) => factorSwitches(config, type).verifyEnabled)) return
  report.problem(
    'mfa.totp.verifyEnabled',
    `or that of another factor is required by ${report.name('console.enabled')}: operators prove a second factor`,
  )
}

export const rules: readonly Rule[] = [rejectCommonViewerRoles, requirePages, requireFactors]
