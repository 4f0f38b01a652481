import { expect, it } from 'vitest'
import { TemplateError } from '../../platform/go-template/template-error.ts'
import { readSmsTemplate } from './sms-text.ts'

it('shows the code in a text, in which nothing is escaped', () => {
  const textOf = readSmsTemplate('Code von <Müller & Co>: {{ .Code }}\n@app.example #{{.Code}}')

  expect(textOf('042042')).toBe('Code von <Müller & Co>: 042042\n@app.example #042042')
})

it.each(['{{ .Code', '{{ .Token }}', '{{ if .Code }}', '{{ unknown .Code }}'])(
  'refuses %j before anything is to be sent',
  (source) => {
    expect(() => readSmsTemplate(source)).toThrow(TemplateError)
  },
)
