import type { H3Event } from 'h3'
import type { Config } from '../config/config.ts'
import { linkHost } from '../messages/email/link-host.ts'

/** The URL that links in mails of this request build on. Of what a proxy may say, two headers count. */
export function readLinkHost(
  config: Pick<Config, 'externalUrl' | 'email'>,
  event: H3Event,
): string {
  const { headers } = event.req
  return linkHost(config, {
    forwardedHost: headers.get('x-forwarded-host'),
    forwardedProto: headers.get('x-forwarded-proto'),
  })
}
