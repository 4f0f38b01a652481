import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import { renderText } from '../../platform/go-template/render-template.ts'

/** Renders the text of a message with its code. */
export type SmsText = (code: string) => string

/**
 * Parses a template of messages, whose only variable `{{ .Code }}` is the code.
 *
 * @throws TemplateError for a template that could not be rendered.
 */
export function readSmsTemplate(source: string): SmsText {
  const template = parseTemplate(source)
  const textOf: SmsText = (code) => renderText(template, { Code: code }, { isStrict: true })
  textOf('123456')
  return textOf
}
