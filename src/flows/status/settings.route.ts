import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { publicSettings } from './public-settings.ts'
import { settingsEndpoint } from './status.endpoint.ts'

/** `GET /settings`: what a sign-in page needs to know, without authentication. */
export function settingsRoute(app: H3, { config }: Deps): void {
  const settings = publicSettings(config)
  serveEndpoint(app, settingsEndpoint, () => settings)
}
