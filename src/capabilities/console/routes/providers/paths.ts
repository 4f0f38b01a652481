export const providersPath = '/console/providers'

/** Returns the path of the page of a provider. */
export const providerPath = (identifier: string): string => `${providersPath}/${identifier}`
