import type { H3 } from 'h3'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { version } from '../../kit/version.ts'
import { healthEndpoint } from './status.endpoint.ts'

/** `GET /health`: whether the service answers. The database is not asked. */
export function healthRoute(app: H3): void {
  serveEndpoint(app, healthEndpoint, () => ({
    version,
    name: 'Latchkey',
    description: 'Latchkey is a user registration and authentication API',
  }))
}
