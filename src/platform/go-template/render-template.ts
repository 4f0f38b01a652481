import { evaluate } from './evaluate.ts'
import { functions } from './functions.ts'
import { htmlOutput, plainOutput } from './output.ts'
import type { Template } from './syntax.ts'
import { printed } from './values.ts'

/** In a page every value is escaped as its place needs, so a template that escapes says nothing new. */
const pageFunctions = new Map([
  ...functions,
  ['html', (values: readonly unknown[]) => values.map((value) => printed(value)).join('')] as const,
])

/**
 * Fills a template for a page. Every value is escaped for the place where it stands: text, attribute,
 * URL (of `http`, `https` and `mailto` alone), style or script. What the data lacks prints nothing.
 *
 * @throws TemplateError when the template asks the impossible of this data, or too much.
 */
export const renderHtml = (template: Template, data: unknown): string =>
  evaluate(template, data, { output: htmlOutput(), functions: pageFunctions, isStrict: false })

/**
 * Fills a template for plain text, where nothing is escaped.
 *
 * @param options.isStrict whether showing what the data lacks is an error. Default false.
 * @throws TemplateError
 */
export const renderText = (template: Template, data: unknown, { isStrict = false } = {}): string =>
  evaluate(template, data, { output: plainOutput(), functions, isStrict })
