import { evaluate } from './evaluate.ts'
import { functions } from './functions.ts'
import { htmlOutput, plainOutput } from './output.ts'
import type { Template } from './syntax.ts'
import { printed } from './values.ts'

/** In a page every value is escaped for its place, so the template's own escaping has no effect. */
const pageFunctions = new Map([
  ...functions,
  ['html', (values: readonly unknown[]) => values.map((value) => printed(value)).join('')] as const,
])

/**
 * Renders a template for a page. Every value is escaped for its place: text, attribute, URL (only
 * `http`, `https` and `mailto`), style or script. Missing values print nothing.
 *
 * @throws TemplateError if the template does not fit the data, or exceeds the limits.
 */
export const renderHtml = (template: Template, data: unknown): string =>
  evaluate(template, data, { output: htmlOutput(), functions: pageFunctions, isStrict: false })

/**
 * Renders a template for plain text, without escaping.
 *
 * @param options.isStrict whether printing a missing value is an error. Default false.
 * @throws TemplateError
 */
export const renderText = (template: Template, data: unknown, { isStrict = false } = {}): string =>
  evaluate(template, data, { output: plainOutput(), functions, isStrict })
