import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import { renderText } from '../../platform/go-template/render-template.ts'

/** Makes the text of a message from its code. */
export type SmsText = (code: string) => string

/**
 * Reads a template of messages, in which `{{ .Code }}` is the code and the only thing there is to show.
 *
 * @throws TemplateError at once for one that could not be sent.
 */
export function readSmsTemplate(source: string): SmsText {
  const template = parseTemplate(source)
  const textOf: SmsText = (code) => renderText(template, { Code: code }, { isStrict: true })
  textOf('123456')
  return textOf
}
