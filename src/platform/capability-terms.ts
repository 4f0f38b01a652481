import * as operatorConsole from '../capabilities/console/console.terms.ts'
import * as customProviders from '../capabilities/custom-providers/custom-providers.terms.ts'
import * as oauthServer from '../capabilities/oauth-server/oauth-server.terms.ts'
import * as pages from '../capabilities/pages/pages.terms.ts'
import * as subscribePages from '../capabilities/subscribe-pages/subscribe-pages.terms.ts'
import * as trustedDevices from '../capabilities/trusted-devices/trusted-devices.terms.ts'

// The terms of capabilities that lists of the platform contain before a service starts:
// see CONTRIBUTING.md.

/** The names of all their tables, whether or not a database has them. @internal */
export const capabilityTables: readonly string[] = [
  ...customProviders.tables,
  ...pages.tables,
  ...oauthServer.tables,
  ...operatorConsole.tables,
  ...subscribePages.tables,
  ...trustedDevices.tables,
]

/** Sections of the configuration. */
export type CapabilityConfig = pages.PagesSection &
  oauthServer.OauthServerSection &
  operatorConsole.ConsoleSection &
  customProviders.CustomOauthSection
export type ResolvedCapabilityConfig = pages.ResolvedPagesSection &
  oauthServer.ResolvedOauthServerSection &
  operatorConsole.ResolvedConsoleSection &
  customProviders.ResolvedCustomOauthSection

/** Settings in the group of second factors. */
export type CapabilityMfaConfig = trustedDevices.TrustedDevicesConfig
export type ResolvedCapabilityMfa = trustedDevices.ResolvedTrustedDevices

export const capabilityErrorCodes = [
  ...customProviders.errorCodes,
  ...oauthServer.errorCodes,
  ...trustedDevices.errorCodes,
] as const

/** @internal */
export const capabilityErrorMeanings = {
  ...customProviders.errorMeanings,
  ...oauthServer.errorMeanings,
  ...trustedDevices.errorMeanings,
}

export const capabilityAuditActions = {
  ...customProviders.auditActions,
  ...oauthServer.auditActions,
  ...trustedDevices.auditActions,
  ...operatorConsole.auditActions,
} as const

/** Domain events, with the data of each. */
export type CapabilityEvents = trustedDevices.TrustedDevicesEvents

export type CapabilityNotificationMail = trustedDevices.TrustedDevicesMail

/** @internal */
export const capabilityNotificationMails = { ...trustedDevices.notificationMails }

/** Their lists in the export of a person. */
export type CapabilityExport = trustedDevices.TrustedDevicesExport & oauthServer.OauthServerExport

/** Methods in `amr` that take the place of a factor without proving one. */
export const factorSubstitutes = [trustedDevices.factorSubstitute] as const

export type FactorSubstitute = (typeof factorSubstitutes)[number]
