import { createFileRoute } from '@tanstack/react-router'
import { getRequestIP } from '@tanstack/react-start/server'
import { toTanStackStart } from 'latchkey/tanstack-start'
import { auth } from '../../auth'

export const Route = createFileRoute('/auth/$')({
  server: { handlers: toTanStackStart(auth, { getRequestIP }) },
})
