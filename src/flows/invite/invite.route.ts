import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Metadata, Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentUser } from '../../http/present-user.ts'
import { readJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { readBearer } from '../../http/read-request.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { invite } from './invite.ts'

/** Body of `POST /invite`, as it travels. */
const InviteBody = object({ email: Text, data: Metadata })

/** `POST /invite`: an operator invites somebody by mail. */
export function inviteRoute(app: H3, deps: Deps): void {
  app.post('/invite', async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const body = checkInput(await readJson(event, maxBodyBytes), InviteBody)

    const account = await invite(ctx, admin, {
      email: body.email,
      data: body.data,
      redirect: readRedirectTo(event),
    })
    return presentUser(account)
  })
}
