import type { APIRoute } from 'astro'
import { AuthError } from 'latchkey'

export const GET: APIRoute = async ({ locals }) => {
  try {
    const { user } = await locals.session.requireUser()
    return Response.json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.getResponse()
  }
}
