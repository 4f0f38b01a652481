import { json, type RequestHandler } from '@sveltejs/kit'
import { AuthError } from 'latchkey'
import { auth } from '../../auth.ts'

export const GET: RequestHandler = async ({ request }) => {
  try {
    const { user } = await auth().requireUser(request)
    return json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return json({ code: error.code, message: error.message }, { status: error.status })
  }
}
