import { expect, it } from 'vitest'
import { TemplateError } from '../../platform/go-template/template-error.ts'
import { readSmsTemplate } from './sms.ts'

it('contains the code in the text, without escaping', () => {
  const textOf = readSmsTemplate('Code von <Müller & Co>: {{ .Code }}\n@app.example #{{.Code}}')

  expect(textOf('042042')).toBe('Code von <Müller & Co>: 042042\n@app.example #042042')
})

it.each(['{{ .Code', '{{ .Token }}', '{{ if .Code }}', '{{ unknown .Code }}'])(
  'rejects %j before a message is sent',
  (source) => {
    expect(() => readSmsTemplate(source)).toThrow(TemplateError)
  },
)
