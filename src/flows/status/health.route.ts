import type { H3 } from 'h3'
import { version } from '../../kit/version.ts'

/** `GET /health`: whether the service answers. The database is not asked. */
export function healthRoute(app: H3): void {
  app.get('/health', () => ({
    version,
    name: 'Latchkey',
    description: 'Latchkey is a user registration and authentication API',
  }))
}
