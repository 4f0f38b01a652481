import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { Answer } from '../../http/answer.ts'
import { openContext } from '../../http/open-context.ts'
import { presentPasskey } from '../../http/present-passkey.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { deleteOwnPasskey, listOwnPasskeys, renameOwnPasskey } from './own-passkeys.ts'
import {
  deletePasskeyEndpoint,
  listPasskeysEndpoint,
  type PasskeyCeremony,
  startPasskeyAuthenticationEndpoint,
  startPasskeyRegistrationEndpoint,
  startPasskeySignUpEndpoint,
  updatePasskeyEndpoint,
  verifyPasskeyAuthenticationEndpoint,
  verifyPasskeyRegistrationEndpoint,
  verifyPasskeySignUpEndpoint,
} from './passkeys.endpoint.ts'
import { registerPasskey } from './register-passkey.ts'
import { requirePasskeys, requireSignUp } from './require-passkeys.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { signUpWithPasskey } from './sign-up-with-passkey.ts'
import { startAuthentication } from './start-authentication.ts'
import { startRegistration } from './start-registration.ts'
import { startSignUp } from './start-sign-up.ts'

/** `POST /passkeys/registration/options`: begins to register a passkey. The body is not read. */
export function startPasskeyRegistrationRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, startPasskeyRegistrationEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, startPasskeyRegistrationEndpoint.limit)

    return presentCeremony(await startRegistration(ctx, caller))
  })
}

/** `POST /passkeys/registration/verify`: registers a passkey. */
export function verifyPasskeyRegistrationRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyPasskeyRegistrationEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))
    const input = await readInput(event, verifyPasskeyRegistrationEndpoint)

    return presentPasskey(await registerPasskey(ctx, caller, input))
  })
}

/** `POST /passkeys/authentication/options`: begins to sign in by passkey. */
export function startPasskeyAuthenticationRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, startPasskeyAuthenticationEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    await limitClient(ctx, startPasskeyAuthenticationEndpoint.limit)
    await checkCaptcha(ctx, event, startPasskeyAuthenticationEndpoint)

    return presentCeremony(await startAuthentication(ctx))
  })
}

/** `POST /passkeys/authentication/verify`: signs in by passkey. */
export function verifyPasskeyAuthenticationRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyPasskeyAuthenticationEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    const input = await readInput(event, verifyPasskeyAuthenticationEndpoint)

    const { user, session } = await signInWithPasskey(ctx, input)
    return presentSession(presentUser(user), session)
  })
}

/** `POST /passkeys/signup/options`: begins to sign up by a passkey alone. */
export function startPasskeySignUpRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, startPasskeySignUpEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requireSignUp(ctx)
    await limitClient(ctx, startPasskeySignUpEndpoint.limit)
    await checkCaptcha(ctx, event, startPasskeySignUpEndpoint)
    const input = await readInput(event, startPasskeySignUpEndpoint)

    return presentCeremony(await startSignUp(ctx, input))
  })
}

/** `POST /passkeys/signup/verify`: signs up by a passkey alone. */
export function verifyPasskeySignUpRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyPasskeySignUpEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requireSignUp(ctx)
    await limitClient(ctx, verifyPasskeySignUpEndpoint.limit)
    const input = await readInput(event, verifyPasskeySignUpEndpoint)

    const { user, session } = await signUpWithPasskey(ctx, input)
    return presentSession(presentUser(user), session)
  })
}

/** `GET /passkeys`: the passkeys of the signed-in user. */
export function listPasskeysRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, listPasskeysEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))

    const passkeys = await listOwnPasskeys(ctx, caller)
    return passkeys.map(presentPasskey)
  })
}

/** `PATCH /passkeys/{passkey_id}`: renames a passkey. */
export function updatePasskeyRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, updatePasskeyEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, updatePasskeyEndpoint.limit)
    const { friendlyName } = await readInput(event, updatePasskeyEndpoint)

    const passkeyId = readPathId(event, 'passkey_id')
    return presentPasskey(await renameOwnPasskey(ctx, caller, passkeyId, friendlyName))
  })
}

/** `DELETE /passkeys/{passkey_id}`: removes a passkey. */
export function deletePasskeyRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deletePasskeyEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requirePasskeys(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))

    await deleteOwnPasskey(ctx, caller, readPathId(event, 'passkey_id'))
    return new Answer(204)
  })
}

const presentCeremony = ({ challengeId, expiresAt, options }: PasskeyCeremony<object>) => ({
  challenge_id: challengeId,
  expires_at: Math.floor(expiresAt.getTime() / 1000),
  options,
})
