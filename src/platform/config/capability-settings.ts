import * as operatorConsole from '../../capabilities/console/console-settings.terms.ts'
import * as customProviders from '../../capabilities/custom-providers/custom-providers-settings.terms.ts'
import * as oauthServer from '../../capabilities/oauth-server/oauth-server-settings.terms.ts'
import * as pages from '../../capabilities/pages/pages-settings.terms.ts'
import * as trustedDevices from '../../capabilities/trusted-devices/trusted-devices-settings.terms.ts'

// The settings of capabilities. They are apart from `capability-terms.ts`, on which the types of
// the configuration depend.

/** Settings in the group of second factors. */
export const capabilityMfaSettings = [...trustedDevices.settings] as const

export const capabilityBounds = [...trustedDevices.bounds, ...oauthServer.bounds]

/** Functions that return the URLs that browsers open with tokens, codes and passwords. */
export const capabilityUrls = [oauthServer.openedUrls, pages.openedUrls] as const

/** Groups of settings, each a section of its own. */
export const capabilityGroups = [
  { title: 'Custom providers', settings: customProviders.settings },
  { title: 'OAuth server', settings: oauthServer.settings },
  { title: 'Pages', settings: pages.settings },
  { title: 'Console', settings: operatorConsole.settings },
] as const

/** Functions that set the defaults that depend on other settings. */
export const capabilityDefaults = [operatorConsole.deriveDefaults, pages.deriveDefaults] as const

/** Conditions that several settings must meet. */
export const capabilityRules = [...pages.rules, ...operatorConsole.rules] as const
