import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Metadata, Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentUser, presentUserRow } from '../../http/present-user.ts'
import { readJson, readOptionalJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { readBearer } from '../../http/read-request.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { deleteOwnUser } from './delete-own-user.ts'
import { getUser } from './get-user.ts'
import { updateUser } from './update-user.ts'

/** Body of `PUT /user`, as it travels. */
const UserBody = object({
  email: Text,
  phone: Text,
  password: Text,
  current_password: Text,
  nonce: Text,
  data: Metadata,
  app_metadata: Metadata,
  channel: Text,
  code_challenge: Text,
  code_challenge_method: Text,
})

/** `GET /user`: the signed-in user. */
export function getUserRoute(app: H3, deps: Deps): void {
  app.get('/user', async (event) => {
    const ctx = openContext(deps, event)
    const token = readBearer(event)

    const user = await getUser(ctx, token, event.req.headers.get('x-jwt-aud'))
    return presentUserRow(user)
  })
}

/** `PUT /user`: changes the signed-in user. */
export function updateUserRoute(app: H3, deps: Deps): void {
  app.put('/user', async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, 'update_user')
    const body = checkInput(await readJson(event, maxBodyBytes), UserBody)

    const account = await updateUser(ctx, caller, {
      email: body.email,
      phone: body.phone,
      password: body.password,
      currentPassword: body.current_password,
      nonce: body.nonce,
      data: body.data,
      appMetadata: body.app_metadata,
      channel: body.channel,
      codeChallenge: body.code_challenge,
      codeChallengeMethod: body.code_challenge_method,
      redirect: readRedirectTo(event),
    })
    return presentUser(account)
  })
}

/** Body of `DELETE /user`, which may be left out. */
const DeletionBody = object({ password: Text, nonce: Text })

/** `DELETE /user`: erases the signed-in user. There only where the configuration says so. */
export function deleteUserRoute(app: H3, deps: Deps): void {
  app.delete('/user', async (event) => {
    const ctx = openContext(deps, event)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, 'delete_user')
    const { password, nonce } = checkInput(await readOptionalJson(event), DeletionBody)

    await deleteOwnUser(ctx, caller, { password, nonce })
    return {}
  })
}
