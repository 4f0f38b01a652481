import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { checkInput } from '../../http/check-input.ts'
import { Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { readJson } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { requestRecovery } from './request-recovery.ts'

/** Body of `POST /recover`, as it travels. */
const RecoverBody = object({ email: Text, code_challenge: Text, code_challenge_method: Text })

/** `POST /recover`: answers `{}` whether or not the address is known. */
export function recoverRoute(app: H3, deps: Deps): void {
  app.post('/recover', async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, 'recover')
    const body = checkInput(await readJson(event), RecoverBody)

    await requestRecovery(ctx, {
      email: body.email,
      codeChallenge: body.code_challenge,
      codeChallengeMethod: body.code_challenge_method,
      redirect: readRedirectTo(event),
    })
    return {}
  })
}
