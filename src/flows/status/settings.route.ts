import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { publicSettings } from './public-settings.ts'

/** `GET /settings`: what a sign-in page needs to know, without authentication. */
export function settingsRoute(app: H3, { config }: Deps): void {
  const settings = publicSettings(config)
  app.get('/settings', () => settings)
}
