import { Answer } from '../../platform/http/answer.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { implementSeparately } from '../http/implement.ts'
import { signOutEndpoint } from './sign-out.endpoint.ts'
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
] as const
