import type { LimitName } from '../../limits/request-limit.ts'
import type { Answer } from '../../platform/http/answer.ts'
import type { PageFormState } from './form-state.ts'
import type { PageRequest } from './page-request.ts'
import type { ReplaceablePage } from './pages.terms.ts'

/** The action of a form. */
export interface PageAction {
  /** The limit per client of the endpoint that does the same. */
  limit?: LimitName
  /** The path of the endpoint that does the same and requires a solved captcha. */
  captcha?: string
  /** Whether the caller is a script, which receives errors as JSON. */
  isScript?: boolean
  /** Returns a redirect, or the page that follows. */
  run(page: PageRequest, form: URLSearchParams): Promise<Answer>
}

/** A page with the actions of its forms. */
export interface PageRoute {
  path: string
  /** The setting with the page of the application that replaces it. */
  replacedBy?: ReplaceablePage
  show(page: PageRequest, state: PageFormState): Answer | Promise<Answer>
  actions?: Readonly<Record<string, PageAction>>
}
