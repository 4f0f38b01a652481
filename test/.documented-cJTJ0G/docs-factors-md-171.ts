declare const auth: import('latchkey').Auth
import { AuthError } from 'latchkey'
import { defineHandler, HTTPError } from 'h3'

export default defineHandler(async (event) => {
  try {
    const { user } = await auth.requireUser(event, { aal: 2, within: '5m' })
    return { paidTo: user.id }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { status, code, message, details } = error
    throw new HTTPError({ status, message, data: { code, step_up: details.stepUp } })
  }
})

export {}
