import { presentPasskey } from '../../accounts/passkeys/present-passkey.ts'
import { Answer } from '../../platform/http/answer.ts'
import { implement } from '../http/implement.ts'
import { deletePasskeyByIdEndpoint, listPasskeysByIdEndpoint } from './admin-passkeys.endpoint.ts'
import { listUserPasskeys, removeUserPasskey } from './user-passkeys.ts'

export const adminPasskeysRoutes = [
  implement(listPasskeysByIdEndpoint, {
    run: ({ ctx, ids }) => listUserPasskeys(ctx, ids.userId),
    present: (passkeys) => passkeys.map(presentPasskey),
  }),
  implement(deletePasskeyByIdEndpoint, {
    run: ({ ctx, admin, ids }) => removeUserPasskey(ctx, admin, ids),
    present: () => new Answer(204),
  }),
] as const
