import { AuthError } from '../../platform/errors/auth-error.ts'
import { Answer } from '../../platform/http/answer.ts'
import { noState, type PageFormState, valuesOf } from '../pages/form-state.ts'
import type { PageRequest } from '../pages/page-request.ts'
import type { PageAction, PageRoute } from '../pages/page-route.ts'
import { describeError, presentConsoleError } from './console-layout.ts'
import type { ConsoleParts } from './console-parts.ts'
import type { ConsoleFormState, ConsoleRequest, FormRejection } from './console-request.ts'
import { presentUnsentForm } from './present-unsent-form.ts'
import { presentWithoutRole } from './present-without-role.ts'
import { notPermitted, requireConsoleUser } from './require-operator.ts'
import { consoleText } from './texts/texts.ts'

/** The action of a form. Only operators run it. */
export type ConsoleAction = (
  request: ConsoleRequest,
  form: URLSearchParams,
) => Promise<Answer | FormRejection>

/** A page of the console with the actions of its forms. */
export interface ConsoleRoute {
  /** The path below the mount. `:id` is an id. */
  path: string
  show(request: ConsoleRequest): Promise<Answer>
  actions?: Readonly<Record<string, ConsoleAction>>
}

/**
 * Returns the page of a route. Every request passes the guard first; every action requires an
 * operator. Both are here only, so that no route can omit them.
 */
export function toPageRoute(parts: ConsoleParts, route: ConsoleRoute): PageRoute {
  const show = async (page: PageRequest, state: PageFormState): Promise<Answer> => {
    const request = await enter(parts, page, state)
    return request instanceof Answer ? request : shown(route, request)
  }
  const actionOf = (name: string, run: ConsoleAction): PageAction => ({
    run: async (page, form) => {
      const request = await enter(parts, page, noState)
      if (request instanceof Answer) {
        const { location } = request.headers
        return location === undefined ? request : presentUnsentForm(page, form, location)
      }
      if (!request.mayChange) return presentConsoleError(request, notPermitted())
      const rejected = (state: Pick<ConsoleFormState, 'status' | 'error' | 'detail'>) =>
        shown(route, {
          ...request,
          state: { ...noState, ...state, action: name, values: valuesOf(form) },
        })
      const { t } = request
      try {
        const result = await run(request, form)
        if (result instanceof Answer) return result
        const error = `${t('error.unchanged')} ${result.rejected}`
        return await rejected({ status: 400, error, detail: null })
      } catch (error) {
        if (!(error instanceof AuthError) || error.status >= 500) throw error
        const { sentence, detail } = describeError(t, error)
        const text = `${t('error.unchanged')} ${sentence ?? ''}`.trimEnd()
        return rejected({ status: error.status, error: text, detail })
      }
    },
  })
  const actions = Object.entries(route.actions ?? {}).map(
    ([name, run]) => [name, actionOf(name, run)] as const,
  )
  return { path: route.path, show, actions: Object.fromEntries(actions) }
}

/** Returns the request of a user of the console; the response to any other client. */
async function enter(
  parts: ConsoleParts,
  page: PageRequest,
  state: PageFormState,
): Promise<ConsoleRequest | Answer> {
  const { url, context } = page.event
  const query = new URLSearchParams(url.searchParams)
  // The URL of a page contains neither the action nor the language, which the browser stores.
  query.delete('do')
  query.delete('lang')
  const path = `${url.pathname}${query.size > 0 ? `?${query}` : ''}`
  const back = `${page.origin}${path}`
  const found = await requireConsoleUser(page, back).catch((error: unknown) =>
    presentWithoutRole(page, back, error),
  )
  if (found instanceof Answer) return found
  const { user, mayChange } = found
  return {
    ...parts,
    page,
    user,
    mayChange,
    options: { ...page.options, actor: { id: user.id, role: user.role } },
    query,
    id: context.params?.['id'] ?? '',
    state: { ...state, detail: null },
    t: consoleText(page.language),
  }
}

/** Shows a page, or the error of a request that it rejects, such as that of an unknown user. */
async function shown(route: ConsoleRoute, request: ConsoleRequest): Promise<Answer> {
  try {
    return await route.show(request)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    return presentConsoleError(request, error)
  }
}
