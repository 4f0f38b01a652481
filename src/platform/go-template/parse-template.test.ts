import { describe, expect, it } from 'vitest'
import { threadMs } from '../../../test/support/main-thread.ts'
import { parseTemplate } from './parse-template.ts'
import { TemplateError } from './template-error.ts'

function faultOf(source: string): unknown {
  try {
    parseTemplate(source)
  } catch (error) {
    return error
  }
  return null
}

describe('parsing a template', () => {
  it.each([
    ['{{ .Token', '1:1', 'this action is not closed'],
    ['{{/* never ends', '1:3', 'this is not allowed in an action'],
    ['{{ "open }}', '1:4', 'this is not allowed in an action'],
    ['Hello\n  {{ if }}', '2:9', 'expected a value here'],
    ['{{ if .A }}', '1:12', 'an {{ end }} is missing'],
    ['{{ end }}', '1:8', '{{ end }} without a block'],
    ['{{ else }}', '1:9', '{{ else }} belongs to an if, range or with'],
    ['{{ shout .A }}', '1:4', 'there is no function shout'],
    ['{{ constructor }}', '1:4', 'there is no function constructor'],
    ['{{ call .A }}', '1:4', 'there is no function call'],
    ['{{ eq .A }}', '1:4', 'eq requires another number of values'],
    ['{{ .A | eq }}', '1:9', 'eq requires another number of values'],
    ['{{ print eq }}', '1:10', 'eq requires another number of values'],
    ['{{ .A .B }}', '1:4', 'only a function accepts a piped value'],
    ['{{ .A | .B }}', '1:9', 'only a function accepts a piped value'],
    ['{{ $x }}', '1:4', 'there is no variable $x'],
    ['{{ $x = 1 }}', '1:4', 'there is no variable $x'],
    ['{{ $x := $x }}', '1:10', 'there is no variable $x'],
    ['{{ if .A }}{{ $x := 1 }}{{ end }}{{ $x }}', '1:37', 'there is no variable $x'],
    ['{{ $x := 1 }}{{ define "a" }}{{ $x }}{{ end }}', '1:33', 'there is no variable $x'],
    ['{{ $a, $b := .A }}', '1:4', 'there is no variable $a'],
    ['{{ $a := 1 }}{{ $a, $b := .A }}', '1:19', 'expected a value here'],
    ['{{ range $a, $b }}{{ end }}', '1:17', 'expected := here'],
    ['{{ (.A }}', '1:8', 'expected ) here'],
    ['{{ template "a" }}', '1:13', 'this template is not defined'],
    ['{{ template .A }}', '1:13', 'expected a name in quotes here'],
    [
      '{{ if .A }}{{ define "a" }}{{ end }}{{ end }}',
      '1:22',
      '{{ define }} is allowed at the top level',
    ],
    ['{{ break }}', '1:10', '{{ break }} is allowed inside a range only'],
    ['{{ "\\y" }}', '1:4', 'this escape is unknown'],
    ['{{ "a".B }}', '1:7', 'this has no fields'],
    ['{{ .A & .B }}', '1:7', 'this is not allowed in an action'],
    ['{{ 12abc }}', '1:4', 'this is not allowed in an action'],
  ])('rejects %j at %s', (source, place, reason) => {
    const fault = faultOf(source)

    expect(fault).toBeInstanceOf(TemplateError)
    expect(fault).toMatchObject({ fault: 'syntax', message: expect.stringContaining(reason) })
    const { line, column } = fault as TemplateError
    expect(`${line}:${column}`).toBe(place)
  })

  it('limits the depth of blocks and parentheses, and the number of variables', () => {
    const blocks = '{{ if . }}'.repeat(101)
    const parentheses = `{{ ${'('.repeat(101)}1${')'.repeat(101)} }}`
    const variables = Array.from({ length: 101 }, (_item, index) => `{{ $v${index} := 1 }}`)

    expect(faultOf(blocks)).toMatchObject({ message: expect.stringContaining('nested more than') })
    expect(faultOf(parentheses)).toMatchObject({
      message: expect.stringContaining('nested more than'),
    })
    expect(faultOf(variables.join(''))).toMatchObject({
      message: expect.stringContaining('more than 100 variables'),
    })
  })

  it('parses a long malicious source in linear time', async () => {
    const ms = await threadMs(() => {
      for (const piece of [
        '{{',
        '{{- ',
        '{{/*',
        '*/',
        '   ',
        '{{"',
        "{{'",
        '{{`',
        '{{ . -',
        '}}',
      ]) {
        faultOf(piece.repeat(50_000))
        faultOf(`{{/*${piece.repeat(50_000)}`)
      }
    })

    expect(ms).toBeLessThan(3_000)
  })
})
