import { createFileRoute } from '@tanstack/react-router'
import { getRequestIP } from '@tanstack/react-start/server'
import { auth } from '../../auth'

export const Route = createFileRoute('/auth/$')({
  server: {
    handlers: {
      ANY: ({ request }) => auth().fetch(request, { ip: getRequestIP() }),
    },
  },
})
