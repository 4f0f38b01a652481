import * as trustedDevices from '../../capabilities/trusted-devices/trusted-devices-settings.terms.ts'

// The settings of capabilities. They are apart from `capability-terms.ts`, on which the types of
// the configuration depend.

/** Settings in the group of second factors. */
export const capabilityMfaSettings = [...trustedDevices.settings] as const

export const capabilityBounds = [...trustedDevices.bounds]
