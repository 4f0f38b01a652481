import { sessions } from '../../auth.ts'
import type { RequestHandler } from './$types'

/** Links in mails and the provider lead back here. */
export const GET: RequestHandler = ({ request, getClientAddress }) =>
  sessions.finishFlow(request, { to: '/account', failed: '/sign-in', ip: getClientAddress() })
