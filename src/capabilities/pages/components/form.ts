import { html, type Markup } from '../../../service/pages/html.ts'
import { formTokenOf, tokenField } from '../form-token.ts'
import { type PageRequest, pathTo } from '../page-request.ts'
import { captcha } from './captcha.ts'
import { hidden } from './field.ts'

export interface FormOptions {
  /** The path of the page. */
  path: string
  /** The action, which is a parameter of the query: it determines the limit of the request. */
  action: string
  body: Markup
  /** The button that submits it, below a captcha. */
  submit?: Markup
  /** A name for assistive technology, where a page has several forms. */
  label?: string
  className?: string
  /** Whether the action requires a solved captcha, where captchas are enabled. */
  hasCaptcha?: boolean
  /** Whether the response is a file, so that the page stays and its form can be submitted again. */
  isDownload?: boolean
  /** Whether its buttons have no effect at first: a double click of another site may lead here. */
  isPaused?: boolean
  /** Parameters of the query. */
  parameters?: Record<string, string | undefined>
}

/** A form that is submitted to its page. */
export const form = (page: PageRequest, options: FormOptions): Markup =>
  html`<form method="post" action="${pathTo(page, options.path, { ...options.parameters, do: options.action })}"${
    options.className && html` class="${options.className}"`
  }${options.label && html` aria-label="${options.label}"`}${options.isDownload && html` data-download`}${options.isPaused && html` data-pause`}>
${hidden(tokenField, formTokenOf(page))}
${options.body}${options.hasCaptcha && captcha(page)}${options.submit}
</form>`
