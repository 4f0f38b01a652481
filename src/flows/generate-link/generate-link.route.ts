import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { generateLinkEndpoint } from './generate-link.endpoint.ts'
import { generateLink } from './generate-link.ts'

/** `POST /admin/generate_link`: makes a link as a mail would carry it. */
export function generateLinkRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, generateLinkEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const { redirectTo, redirect, ...input } = await readInput(event, generateLinkEndpoint)

    const link = await generateLink(ctx, admin, {
      ...input,
      redirect: { ...redirect, ...(redirectTo && { target: redirectTo }) },
    })
    return {
      ...presentUser(link.user),
      action_link: link.actionLink,
      email_otp: link.emailOtp,
      hashed_token: link.hashedToken,
      verification_type: link.verificationType,
      redirect_to: link.redirectTo,
    }
  })
}
