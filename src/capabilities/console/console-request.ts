import type { User } from '../../accounts/users/user.ts'
import type { Answer } from '../../platform/http/answer.ts'
import type { CallOptions } from '../../service/api/call-options.ts'
import type { Markup } from '../../service/pages/html.ts'
import { form as pageForm } from '../pages/components/form.ts'
import type { PageFormState } from '../pages/form-state.ts'
import { type PageRequest, pathTo, redirectTo } from '../pages/page-request.ts'
import type { ConsoleParts } from './console-parts.ts'
import type { ConsoleText } from './texts/texts.ts'

/** The state of the forms of a page of the console. */
export interface ConsoleFormState extends PageFormState {
  /** The message of the API, in English; null without one. */
  detail: string | null
}

/** A request of the console by a permitted user. */
export interface ConsoleRequest extends ConsoleParts {
  page: PageRequest
  user: User
  /** Whether the user may change anything; false for a viewer. */
  mayChange: boolean
  /** The operator and the client, for calls of the API. */
  options: CallOptions
  /** The parameters of the query. */
  query: URLSearchParams
  /** The id in the path; empty where the path has none. */
  id: string
  state: ConsoleFormState
  /** Returns a text in the language of the request. */
  t: ConsoleText
}

/** Redirects to a page of the console with a notice. */
export function done({ page }: ConsoleRequest, path: string, notice: string): Answer {
  page.pre.consoleNotice = notice
  return redirectTo(pathTo({ host: page.host, redirectTo: undefined }, path))
}

/** The reason why an action did not accept its form. Its page is shown again. */
export interface FormRejection {
  /** A sentence in the language of the request. */
  rejected: string
}

interface FormOptions {
  path: string
  action: string
  body: Markup
  label?: string
  className?: string
}

/** A form of the console; null for a viewer. */
export const actionForm = (
  { page, mayChange }: ConsoleRequest,
  { className = 'inline', ...options }: FormOptions,
): Markup | null => (mayChange ? pageForm(page, { ...options, className }) : null)

/** Returns the path of a page of the console with parameters. */
export const consolePath = (
  { page }: Pick<ConsoleRequest, 'page'>,
  path: string,
  parameters: Record<string, string | undefined> = {},
): string => pathTo({ host: page.host, redirectTo: undefined }, path, parameters)

/** Returns the path of the page of a user. */
export const userPath = (id: string): string => `/console/users/${id}`

export const clientsPath = '/console/clients'

/** Returns the path of the page of a client. */
export const clientPath = (id: string): string => `${clientsPath}/${id}`

export const providersPath = '/console/providers'

/** Returns the path of the page of a provider. */
export const providerPath = (identifier: string): string => `${providersPath}/${identifier}`
