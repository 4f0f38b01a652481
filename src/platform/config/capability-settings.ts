import * as consoleTerms from '../../capabilities/console/console-settings.terms.ts'
import * as customProvidersTerms from '../../capabilities/custom-providers/custom-providers-settings.terms.ts'
import * as oauthServerTerms from '../../capabilities/oauth-server/oauth-server-settings.terms.ts'
import * as pagesTerms from '../../capabilities/pages/pages-settings.terms.ts'
import * as trustedDevicesTerms from '../../capabilities/trusted-devices/trusted-devices-settings.terms.ts'

// Written by scripts/write-capability-terms.mjs from the `.terms.ts` files of capabilities. Run npm run docs.
// They are apart from `capability-terms.ts`, on which the types of the configuration depend.

/** Settings in the group of second factors. */
export const capabilityMfaSettings = [...trustedDevicesTerms.mfaSettings] as const

/** Functions that return the URLs that browsers open with tokens, codes and passwords. */
export const capabilityUrls = [
  customProvidersTerms.openedUrls,
  oauthServerTerms.openedUrls,
  pagesTerms.openedUrls,
] as const

/** Groups of settings, each a section of its own. */
export const capabilityGroups = [
  { title: consoleTerms.settingsTitle, settings: consoleTerms.settings },
  { title: customProvidersTerms.settingsTitle, settings: customProvidersTerms.settings },
  { title: oauthServerTerms.settingsTitle, settings: oauthServerTerms.settings },
  { title: pagesTerms.settingsTitle, settings: pagesTerms.settings },
] as const

/** Functions that set the defaults that depend on other settings. */
export const capabilityDefaults = [consoleTerms.deriveDefaults, pagesTerms.deriveDefaults] as const

/** Conditions that several settings must meet. */
export const capabilityRules = [
  ...consoleTerms.rules,
  ...oauthServerTerms.rules,
  ...pagesTerms.rules,
] as const
