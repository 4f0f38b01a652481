import type { Config } from '../../platform/config/config.ts'

/** Returns the redirect URI of a registered provider. */
export function callbackUrlOf(
  { customOauth, externalUrl }: Pick<Config, 'customOauth' | 'externalUrl'>,
  identifier: string,
): string {
  const callback = `${customOauth.externalUrl ?? externalUrl}/callback`
  return customOauth.ownCallbacks ? `${callback}/${identifier}` : callback
}
