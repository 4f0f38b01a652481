/**
 * Returns a condition: tokens are issued for a resource, which was permitted when a user granted
 * access to it.
 *
 * @param resource null for this service itself.
 * @param resources a JSON array, the setting `oauthServer.resources`.
 */
export const isPermittedResourceInSql = (resource: string, resources: string): string =>
  `(${resource} is null or ${resources}::jsonb = '[]' or ${resources}::jsonb ? (${resource}))`
