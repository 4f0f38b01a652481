import { pathBelow } from '../../kit/trailing-slashes.ts'
import type { Rule } from './rule.ts'

/** Roles that every user or visitor of a service may have, whatever the settings. */
const commonRoles = ['authenticated', 'anon']

/**
 * Rejects administrator roles that users have: the default role, and the role of a public token.
 */
export const rejectCommonAdminRoles: Rule = ({ config, report }) => {
  const { adminRoles, defaultRole } = config.jwt
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  if (adminRoles.some((role) => same(role, defaultRole))) {
    const path = 'jwt.defaultRole'
    report.problem(
      path,
      `must not be one of ${report.name('jwt.adminRoles')}: every new user would be an operator`,
    )
  }
  const common = adminRoles.find((role) => commonRoles.some((other) => same(role, other)))
  if (common !== undefined) {
    report.problem(
      'jwt.adminRoles',
      `must not contain ${common}: users, or visitors without an account, have that role`,
    )
  }
}

/** Rejects development mode in production, where it would confirm any address. */
export const rejectDevelopmentInProduction =
  (production: boolean): Rule =>
  ({ config, report }) => {
    if (production && config.development) {
      report.problem(
        'development',
        'is not permitted under NODE_ENV=production: remove it, or unset NODE_ENV on a machine of a developer',
      )
    }
  }

/** @param explicit whether `externalUrl` is required even if it could be derived. */
export const requireUrls =
  (explicit: boolean): Rule =>
  ({ config, given, report }) => {
    if (config.development) return
    if (!given.has('siteUrl'))
      report.problem('siteUrl', 'is required: the base URL of the application')
    // Without a valid site it cannot be derived, and its problem is reported already.
    const isDerived = !explicit && (!config.siteUrl || config.externalUrl !== '')
    if (given.has('externalUrl') || isDerived) return
    report.problem('externalUrl', 'is required: the URL under which clients reach the service')
  }

/** Rejects a site URL that contains the mount path, which would lead links to `/auth/auth`. */
export const rejectRepeatedMount: Rule = ({ config, given, report }) => {
  const { siteUrl, basePath, externalUrl } = config
  const path = pathBelow(siteUrl)
  if (basePath === '' || given.has('externalUrl') || !path.endsWith(basePath)) return
  report.problem(
    'siteUrl',
    `ends with basePath, so that links would lead to ${externalUrl}: give the URL of the application without ` +
      `${basePath}, or set externalUrl if that is the service's address`,
  )
}

export const requireDatabase: Rule = ({ config, given, report }) => {
  if (config.development || given.has('database.url')) return
  report.problem('database.url', 'is required: postgres://user:password@host:5432/database')
}

/**
 * Requires a signing key for access tokens, and a root of all other keys. A signing secret can be
 * both; keys that only sign cannot.
 */
export const requireKeys: Rule = ({ config, given, report }) => {
  const hasRoot = given.has('jwt.secret') || given.has('encryptionKey')
  if (config.development || hasRoot) return
  if (given.has('jwt.keys')) {
    report.problem(
      'encryptionKey',
      `is required in addition to ${report.name('jwt.keys')}: a secret of at least 32 bytes`,
    )
  } else {
    report.problem(
      'jwt.secret',
      `is required: a secret of at least 32 bytes. Or set ${report.name('encryptionKey')}, and ` +
        `Latchkey generates and rotates its own signing keys`,
    )
  }
}
