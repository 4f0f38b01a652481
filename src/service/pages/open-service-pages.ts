import type { Deps } from '../../accounts/auth-context.ts'
import { noAuthorization } from '../../platform/errors/request-errors.ts'
import { type AnswerRequest, toResponse } from '../../platform/http/answer.ts'
import { bearerOf } from '../../platform/http/request-like.ts'
import { withOptions } from '../../platform/http/request-options.ts'
import type { AdminApi } from '../api/admin-api.ts'
import type { AuthApi } from '../api/auth-api.ts'
import { callOptionsOf } from '../api/call-options-of.ts'
import type { OutboxApi } from '../api/outbox-api.ts'
import type { AddPages, GivenSettings } from '../api/pages-service.ts'
import type { SessionService } from '../api/session-service.ts'
import { readStepUp } from '../api/step-up.ts'
import { verifyOwnToken, withHostStatus } from '../api/verify-own-token.ts'
import { requireViewer } from '../api/viewer.ts'
import { pagesCapabilities } from '../capabilities.ts'

interface Needs {
  deps: Deps
  api: AuthApi
  admin: AdminApi
  outbox: OutboxApi
  settings: GivenSettings
  /** Responds to a request of the wire. */
  answer: AnswerRequest
}

/** Loads the pages that the configuration enables, and those of development. */
export async function openServicePages(needs: Needs): Promise<AddPages> {
  const opened = [...(await openCapabilityPages(needs)), ...(await openDeveloperPages(needs.deps))]
  return (app, pages) => {
    for (const add of opened) add(app, pages)
  }
}

async function openCapabilityPages({ answer, ...parts }: Needs): Promise<AddPages[]> {
  const { deps, api } = parts
  const enabled = pagesCapabilities.filter(({ isEnabled }) => isEnabled(deps.config))
  if (enabled.length === 0) return []
  const service = { ...parts, sessions: sessionService(deps, api, answer) }
  return Promise.all(enabled.map(async ({ load }) => (await load())(service)))
}

/** Loads the pages for developers at this machine, which only development has. */
export async function openDeveloperPages(deps: Deps): Promise<AddPages[]> {
  const token = deps.developerToken
  if (token === null) return []
  const { developerPages } = await import('./developer-pages.ts')
  return [developerPages(deps, token)]
}

const sessionService = (deps: Deps, api: AuthApi, answer: AnswerRequest): SessionService => ({
  api,
  basePath: deps.config.basePath,
  fetch: async (request, options = {}) => toResponse(await answer(withOptions(request, options))),
  callOptions: (request, options) => callOptionsOf(deps.config, request, options),
  verifyToken: (accessToken) => verifyOwnToken(deps, accessToken),
  requireUser: (request, options = {}) => {
    const token = bearerOf(request)
    if (token === null) return Promise.reject(noAuthorization())
    return withHostStatus(requireViewer(deps, token, readStepUp(options)))
  },
})
