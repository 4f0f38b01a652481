import { sessions } from '../../auth'

/** Links in mails and the provider lead here. */
export const GET = (request: Request) =>
  sessions.finishFlow(request, { to: '/account', failed: '/sign-in' })
