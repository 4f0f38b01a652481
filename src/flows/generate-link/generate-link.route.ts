import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Flag, Metadata, Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentUser } from '../../http/present-user.ts'
import { readJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { readBearer } from '../../http/read-request.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { generateLink } from './generate-link.ts'

/** Body of `POST /admin/generate_link`, as it travels. */
const GenerateLinkBody = object({
  type: Text,
  email: Text,
  new_email: Text,
  password: Text,
  data: Metadata,
  redirect_to: Text,
  send_email: Flag,
})

/** `POST /admin/generate_link`: makes a link as a mail would carry it. */
export function generateLinkRoute(app: H3, deps: Deps): void {
  app.post('/admin/generate_link', async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const body = checkInput(await readJson(event, maxBodyBytes), GenerateLinkBody)

    const link = await generateLink(ctx, admin, {
      type: body.type,
      email: body.email,
      newEmail: body.new_email,
      password: body.password,
      data: body.data,
      redirect: { ...readRedirectTo(event), ...(body.redirect_to && { target: body.redirect_to }) },
      sendEmail: body.send_email,
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
