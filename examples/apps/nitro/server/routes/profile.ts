import { AuthError } from 'latchkey'
import { defineHandler, HTTPError } from 'nitro/h3'
import { auth } from '../auth.ts'

export default defineHandler(async (event) => {
  try {
    const { user } = await auth().requireUser(event)
    return { message: `hello, ${user.email}` }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { status, code, message } = error
    throw new HTTPError({ status, message, data: { code } })
  }
})
