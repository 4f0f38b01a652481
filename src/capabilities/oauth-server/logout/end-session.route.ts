import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { type Answer, jsonAnswer, redirectAnswer } from '../../../platform/http/answer.ts'
import { parametersIn, parametersOf, readRawBody } from '../protocol/parameters.ts'
import { endSessionByFormEndpoint, endSessionEndpoint } from './end-session.endpoint.ts'
import { endSessionOfIdToken } from './end-session.ts'

export const endSessionRoutes = [
  implementSeparately(endSessionEndpoint, {
    handle:
      () =>
      async ({ ctx, event }) =>
        answerEnded(await endSessionOfIdToken(ctx, parametersOf(event.url.searchParams))),
  }),
  implementSeparately(endSessionByFormEndpoint, {
    readBody: readRawBody,
    handle:
      () =>
      async ({ ctx, input: { body } }) =>
        answerEnded(await endSessionOfIdToken(ctx, parametersIn(body))),
  }),
] as const

const answerEnded = (redirectUrl: string | null): Answer =>
  redirectUrl === null ? jsonAnswer(200, {}) : redirectAnswer(302, redirectUrl)
