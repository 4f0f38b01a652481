import { AuthError } from 'latchkey'

export default defineEventHandler(async (event) => {
  try {
    const { user } = await auth().requireUser(event.node.req)
    return { message: `hello, ${user.email}` }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { status, code, message } = error
    throw createError({ status, message, data: { code } })
  }
})
