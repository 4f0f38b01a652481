import { createFileRoute } from '@tanstack/react-router'
import { AuthError } from 'latchkey'
import { auth } from '../auth'

export const Route = createFileRoute('/profile')({
  server: { handlers: { GET: ({ request }) => profile(request) } },
})

async function profile(request: Request): Promise<Response> {
  try {
    const { user } = await auth().requireUser(request)
    return Response.json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.getResponse()
  }
}
