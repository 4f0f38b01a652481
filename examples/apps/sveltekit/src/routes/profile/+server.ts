import { json, type RequestHandler } from '@sveltejs/kit'
import { AuthError } from 'latchkey/sveltekit'

export const GET: RequestHandler = async ({ locals }) => {
  try {
    const { user } = await locals.session.requireUser()
    return json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.getResponse()
  }
}
