import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { renderHtml, renderText } from './render-template.ts'
import { TemplateError } from './template-error.ts'

/** Parts of valid and invalid templates. */
const pieces = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  ' ',
  '\n',
  '(',
  ')',
  '|',
  ',',
  ':=',
  '=',
  '.',
  '$',
  '$x',
  '"a"',
  '`b`',
  '{{/*',
  '*/}}',
  '.A',
  '.Data',
  '.Data.x',
  '.Data.list',
  '1',
  '-2.5',
  "'c'",
  'nil',
  'true',
  'if',
  'else',
  'end',
  'range',
  'with',
  'define',
  'template',
  'block',
  'break',
  'continue',
  'and',
  'or',
  'not',
  'eq',
  'lt',
  'len',
  'index',
  'slice',
  'print',
  'printf',
  'html',
  'js',
  '{{ if .A }}',
  '{{ range .Data }}',
  '{{ with .Data }}',
  '{{ end }}',
  '{{ .A }}',
  '{{ . }}',
  '{{ $x := .A }}',
  '{{ range $i, $e := .Data.list }}',
  '{{ $i }}',
  '{{ else }}',
  '{{ $x }}',
  '<p>',
  '<a href="',
  "<b title='",
  '">',
  "'>",
  '<script>',
  '</script>',
  '<!--',
  '-->',
  '<',
]

const source = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 4 })), {
    maxLength: 25,
  })
  .map((parts) => parts.join(''))

/** Strings that contain markup. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...['<', '>', '"', "'", '&', '=', '`', ' ', '/', '\n', '\0', '\\', '--', '-->', '{{', '}}'],
        ...[
          '</script>',
          '</style>',
          '</title>',
          'javascript:',
          'onclick',
          'alert(1)',
          '%',
          '+',
          '?',
        ],
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
)

const value = fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue())

const data = fc.record({
  A: value,
  Data: fc.oneof(value, fc.record({ x: value, list: fc.array(value, { maxLength: 3 }) })),
})

/** Returns null for a TemplateError; other errors fail the test. */
function orFault(render: () => string): string | null {
  try {
    return render()
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

it('throws only its own error, for any template and data', () => {
  fc.assert(
    fc.property(source, data, (template, values) => {
      orFault(() => renderHtml(parseTemplate(template), values))
      orFault(() => renderText(parseTemplate(template), values, { isStrict: true }))
    }),
    { numRuns: 3_000 },
  )
})

it('renders many of these templates, so that the property above is meaningful', () => {
  const results = fc
    .sample(fc.tuple(source, data), 500)
    .map(([template, values]) => orFault(() => renderHtml(parseTemplate(template), values)))

  expect(results.filter((result) => result !== null).length).toBeGreaterThan(50)
})

const places = [
  ['', ''],
  ['<p>', '</p>'],
  ['<p title="', '">'],
  ["<p title='", "'>"],
  ['<p title=', '>'],
  ['<a href="', '">'],
  ['<a href=', '>'],
  ['<a href="/x?a=', '&b=c">'],
  ['<a onclick="f(\'', '\')">'],
  ['<p style="color:', '">'],
  ['<iframe srcdoc="', '">'],
  ['<title>', '</title>'],
  ['<textarea>', '</textarea>'],
  ['<script>f(', ')</script>'],
  ['<style>a{b:', '}</style>'],
  ['<!-- ', ' -->'],
  ['<!--[if mso]><a href="', '"><![endif]-->'],
] as const

it.each(places)('escapes every value in %s…%s (T17)', (before, after) => {
  fc.assert(
    fc.property(value, (shown) => {
      const page = renderHtml(parseTemplate(`${before}{{ .A }}${after}<hr>`), { A: shown })
      const inside = page.slice(before.length, page.length - `${after}<hr>`.length)

      expect(page.startsWith(before)).toBe(true)
      expect(page.endsWith(`${after}<hr>`)).toBe(true)
      expect(inside).not.toMatch(/[<>"']/)
      expect(inside).not.toMatch(/&(?!#\d+;|[a-z]+;)/)
    }),
  )
})

it('permits only the schemes http, https and mailto in a link, from any parts (T17)', () => {
  const part = fc.oneof(fc.constantFrom('java', 'script', ':', 'data:', '\t', 'HTTPS:', '//'), text)
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const source = '<a href="{{ range .A }}{{ . }}{{ end }}">'
      const [, href = ''] = /^<a href="(.*)">$/s.exec(
        renderHtml(parseTemplate(source), { A: parts }),
      ) ?? ['']
      const plain = href.replaceAll('&#43;', '+').replaceAll('&amp;', '&')
      // A text that is not a URL is relative.
      const { protocol } = URL.parse(plain, 'https://base.test/') ?? { protocol: 'https:' }

      expect(['http:', 'https:', 'mailto:']).toContain(protocol)
    }),
    { numRuns: 1_000 },
  )
})
