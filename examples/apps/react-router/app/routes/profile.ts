import { AuthError } from 'latchkey'
import { sessionContext } from '../session'
import type { Route } from './+types/profile'

export async function loader({ context }: Route.LoaderArgs) {
  try {
    const { user } = await context.get(sessionContext).requireUser()
    return Response.json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.getResponse()
  }
}
