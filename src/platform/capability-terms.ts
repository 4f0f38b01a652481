import * as consoleTerms from '../capabilities/console/console.terms.ts'
import * as customProvidersTerms from '../capabilities/custom-providers/custom-providers.terms.ts'
import * as oauthServerTerms from '../capabilities/oauth-server/oauth-server.terms.ts'
import * as pagesTerms from '../capabilities/pages/pages.terms.ts'
import * as subscribePagesTerms from '../capabilities/subscribe-pages/subscribe-pages.terms.ts'
import * as trustedDevicesTerms from '../capabilities/trusted-devices/trusted-devices.terms.ts'

// Written by scripts/write-capability-terms.mjs from the `.terms.ts` files of capabilities. Run npm run docs.

/** The names of all their tables, whether or not a database has them. @internal */
export const capabilityTables: readonly string[] = [
  ...consoleTerms.tables,
  ...customProvidersTerms.tables,
  ...oauthServerTerms.tables,
  ...pagesTerms.tables,
  ...subscribePagesTerms.tables,
  ...trustedDevicesTerms.tables,
]

/** Sections of the configuration. */
export type CapabilityConfig = consoleTerms.ConsoleSection &
  customProvidersTerms.CustomOauthSection &
  oauthServerTerms.OauthServerSection &
  pagesTerms.PagesSection
export type ResolvedCapabilityConfig = consoleTerms.ResolvedConsoleSection &
  customProvidersTerms.ResolvedCustomOauthSection &
  oauthServerTerms.ResolvedOauthServerSection &
  pagesTerms.ResolvedPagesSection

/** Settings in the group of second factors. */
export type CapabilityMfaConfig = trustedDevicesTerms.TrustedDevicesMfaSection
export type ResolvedCapabilityMfa = trustedDevicesTerms.ResolvedTrustedDevicesMfaSection

export const capabilityErrorCodes = [
  ...customProvidersTerms.errorCodes,
  ...oauthServerTerms.errorCodes,
  ...trustedDevicesTerms.errorCodes,
] as const

/** @internal */
export const capabilityErrorMeanings = {
  ...customProvidersTerms.errorMeanings,
  ...oauthServerTerms.errorMeanings,
  ...trustedDevicesTerms.errorMeanings,
}

export const capabilityAuditActions = {
  ...consoleTerms.auditActions,
  ...customProvidersTerms.auditActions,
  ...oauthServerTerms.auditActions,
  ...subscribePagesTerms.auditActions,
  ...trustedDevicesTerms.auditActions,
} as const

/** Domain events, with the data of each. */
export type CapabilityEvents = trustedDevicesTerms.TrustedDevicesEvents

export type CapabilityNotificationMail = trustedDevicesTerms.TrustedDevicesMail

/** @internal */
export const capabilityNotificationMails = { ...trustedDevicesTerms.notificationMails }

/** Their lists in the export of a person. */
export type CapabilityExport = oauthServerTerms.OauthServerExport &
  trustedDevicesTerms.TrustedDevicesExport

/** Methods in `amr` that take the place of a factor without proving one. */
export const factorSubstitutes = [trustedDevicesTerms.factorSubstitute] as const

export type FactorSubstitute = (typeof factorSubstitutes)[number]
