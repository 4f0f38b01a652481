import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { createAuthorizationRequest } from '../../accounts/external-sign-in/create-authorization-request.ts'
import { badJson } from '../../platform/errors/request-errors.ts'
import { type Answer, redirectAnswer } from '../../platform/http/answer.ts'
import { bindBrowser, readBrowser } from '../../platform/http/browser-cookie.ts'
import { fields, Json } from '../../platform/http/inputs.ts'
import { requireOwnPage } from '../../platform/http/own-page.ts'
import { type Form, formIn, readQuery } from '../../platform/http/read-request.ts'
import { cookieSessionOf } from '../../platform/http/request-options.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { implementSeparately, type Pages } from '../http/implement.ts'
import { readFlowStart } from '../http/read-input.ts'
import {
  authorizeEndpoint,
  callbackEndpoint,
  callbackFormEndpoint,
  providerCallbackEndpoint,
  providerCallbackFormEndpoint,
} from './external-sign-in.endpoint.ts'
import type { PendingLink } from './link-confirmation.ts'
import { serveCallback, serveConfirmation } from './serve-callback.ts'

declare module '../http/implement.ts' {
  interface Pages {
    /** The page that confirms the linking of an identity. */
    confirmLinking(event: H3Event, confirmation: PendingLink): Answer
  }
}

/** Receives the response of a provider. */
const implementCallback = <const E extends Endpoint>(endpoint: E) =>
  implementSeparately(endpoint, {
    handle:
      ({ pages }) =>
      ({ ctx, event }) =>
        receiveCallback(ctx, event, pages, (name) => readQuery(event, name)),
  })

/**
 * Receives the same as a form, submitted by the page of a provider, or the form of a confirmation
 * page, which is at the URL of the callback.
 */
const implementFormCallback = <const E extends Endpoint>(endpoint: E) =>
  implementSeparately(endpoint, {
    readBody: () => (text, event) => formIn(event, text),
    handle:
      ({ pages }) =>
      ({ ctx, event, input: form }) => {
        const secret = form?.('confirmation')
        if (form && secret) return receiveConfirmation(ctx, event, form, secret)
        return receiveCallback(ctx, event, pages, form ?? ((name) => readQuery(event, name)))
      },
  })

export const externalSignInRoutes = [
  implementSeparately(authorizeEndpoint, {
    handle:
      () =>
      async ({ ctx, event }) => {
        const browser = readBrowser(ctx.config, event) ?? ctx.random.hex(16)
        const { url } = await createAuthorizationRequest(ctx, { ...readFlowStart(event), browser })
        return redirectAnswer(302, url, { 'set-cookie': bindBrowser(ctx.config, browser) })
      },
    fields: fields({ ...authorizeEndpoint.query, parameters: Json }),
    run: ({ ctx, input: { parameters = {}, ...start } }) =>
      createAuthorizationRequest(ctx, {
        ...start,
        parameters: requireTexts(parameters),
        browser: null,
      }),
  }),
  implementCallback(callbackEndpoint),
  implementCallback(providerCallbackEndpoint),
  implementFormCallback(callbackFormEndpoint),
  implementFormCallback(providerCallbackFormEndpoint),
] as const

function requireTexts(parameters: Record<string, unknown>): Record<string, string> {
  if (!Object.values(parameters).every((value) => typeof value === 'string')) {
    throw badJson('parameters: must map names to strings')
  }
  return parameters as Record<string, string>
}

async function receiveCallback(
  ctx: AuthContext,
  event: H3Event,
  pages: Pages,
  parameter: Form,
): Promise<Answer> {
  const outcome = await serveCallback(ctx, {
    parameter,
    provider: event.context.params?.['provider']?.toLowerCase() ?? null,
    browser: readBrowser(ctx.config, event),
    cookieSessionId: cookieSessionOf(event.req),
  })
  return 'confirmation' in outcome
    ? pages.confirmLinking(event, outcome.confirmation)
    : redirectAnswer(outcome.hasState ? 302 : 303, outcome.location)
}

async function receiveConfirmation(
  ctx: AuthContext,
  event: H3Event,
  form: Form,
  secret: string,
): Promise<Answer> {
  requireOwnPage(ctx.config, event)
  const browser = readBrowser(ctx.config, event)
  const decision = form('decision')
  return redirectAnswer(303, await serveConfirmation(ctx, { secret, decision, browser }))
}
