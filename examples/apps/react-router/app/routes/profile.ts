import { AuthError } from 'latchkey'
import { auth } from '../auth'

export async function loader({ request }: { request: Request }) {
  try {
    const { user } = await auth().requireUser(request)
    return Response.json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return Response.json({ code: error.code, message: error.message }, { status: error.status })
  }
}
