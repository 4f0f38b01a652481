import { validationFailed } from '../../platform/errors/request-errors.ts'
import { Answer } from '../../platform/http/answer.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { implementSeparately } from '../http/implement.ts'
import { deleteSessionsEndpoint, signOutEndpoint } from './sign-out.endpoint.ts'
import { signOut } from './sign-out.ts'

export const signOutRoutes = [
  implementSeparately(signOutEndpoint, {
    handle:
      () =>
      async ({ ctx, event, claims }) => {
        await signOut(ctx, claims, readQuery(event, 'scope'))
        return new Answer(204)
      },
    run: ({ ctx, claims, input }) => signOut(ctx, claims, input.scope),
  }),
  // Without a default: a request that lost its query would end the caller's own session, too.
  implementSeparately(deleteSessionsEndpoint, {
    handle:
      () =>
      async ({ ctx, event, claims }) => {
        const scope = readQuery(event, 'scope')
        if (scope === undefined) throw validationFailed('scope: is required')
        await signOut(ctx, claims, scope)
        return new Answer(204)
      },
  }),
] as const
