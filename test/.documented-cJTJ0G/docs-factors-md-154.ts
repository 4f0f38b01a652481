declare const app: import('express').Express
declare const auth: import('latchkey').Auth
import { AuthError } from 'latchkey'
app.post('/payouts', async (request, response) => {
  const { user } = await auth.requireUser(request, { aal: 2, within: '5m' })
  response.json({ paidTo: user.id })
})
app.use((error: unknown, _request: unknown, response: import('express').Response, next: (error: unknown) => void) => {
  if (!(error instanceof AuthError)) return next(error)
  const { status, code, message, details } = error
  response.status(status).json({ code, message, step_up: details.stepUp })
})

export {}
