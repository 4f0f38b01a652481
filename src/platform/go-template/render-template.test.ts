import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { renderHtml, renderText } from './render-template.ts'
import { TemplateError } from './template-error.ts'

const link = 'https://auth.example.com/verify?token=abc&type=signup&redirect_to=https://app.test/x'

const data = {
  ConfirmationURL: link,
  Token: '123456',
  Email: "o'hara+news@example.com",
  Zero: 0,
  Data: {
    name: 'Ada',
    visits: 5,
    admin: false,
    tags: ['red', 'green', 'blue'],
    team: { b: 'Bob', a: 'Amy' },
    none: null,
    empty: [],
    bold: '<b>"x"</b>',
    script: 'javascript:alert(1)',
  },
}

const html = (source: string) => renderHtml(parseTemplate(source), data)
const text = (source: string) => renderText(parseTemplate(source), data)

function faultOf(render: () => string): unknown {
  try {
    return render()
  } catch (error) {
    return error
  }
}

describe('a template', () => {
  it.each([
    ['{{ .Token }} {{.Data.name}}', '123456 Ada'],
    ['{{ .Nobody }}-{{ .Data.nobody }}-{{ .Data.none }}-{{ nil | print }}', '---'],
    ['{{ .toString }}{{ .constructor }}{{ .Data.__proto__ }}', ''],
    ['{{ .Data.visits }} {{ .Data.admin }} {{ .Data.tags }}', '5 false [red green blue]'],
    ['{{ .Data.team }}', 'map[a:Amy b:Bob]'],
    ['a {{- " b " -}} c', 'a b c'],
    ['a {{- /* gone */ -}} c{{/* too */}}', 'ac'],
    [
      '{{ -3 }} {{ 0x10 }} {{ 1.5e2 }} {{ .5 }} {{ \'a\' }} {{ "\\u00e9\\t\\x41" }} {{ `\\n` }}',
      null,
    ],
    ['{{ true }} {{ $ | len }}', 'true 5'],
  ])('prints %j', (source, expected) => {
    expect(text(source)).toBe(expected ?? '-3 16 150 0.5 97 é\tA \\n')
  })

  it.each([
    ['{{ if .Token }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if .Zero }}yes{{ else if .Data.admin }}maybe{{ else }}no{{ end }}', 'no'],
    ['{{ if .Data.empty }}yes{{ else if .Data.team }}maybe{{ end }}', 'maybe'],
    ['{{ with .Data.team }}{{ .a }}{{ $.Token }}{{ end }}', 'Amy123456'],
    ['{{ with .Data.none }}a{{ else with .Data.name }}{{ . }}{{ end }}', 'Ada'],
    ['{{ range .Data.tags }}<{{ . }}>{{ end }}', '<red><green><blue>'],
    ['{{ range $i, $tag := .Data.tags }}{{ $i }}{{ $tag }} {{ end }}', '0red 1green 2blue '],
    ['{{ range $key, $value := .Data.team }}{{ $key }}{{ $value }} {{ end }}', 'aAmy bBob '],
    ['{{ range .Data.empty }}a{{ else }}nothing{{ end }}', 'nothing'],
    ['{{ range .Data.none }}a{{ else }}nothing{{ end }}', 'nothing'],
    ['{{ range 3 }}{{ . }}{{ end }}', '012'],
    [
      '{{ range .Data.tags }}{{ if eq . "green" }}{{ continue }}{{ end }}{{ . }}{{ end }}',
      'redblue',
    ],
    ['{{ range .Data.tags }}{{ if eq . "green" }}{{ break }}{{ end }}{{ . }}{{ end }}', 'red'],
    ['{{ $n := "a" }}{{ range 3 }}{{ $n = print $n "b" }}{{ end }}{{ $n }}', 'abbb'],
    ['{{ $n := "a" }}{{ if true }}{{ $n := "b" }}{{ $n }}{{ end }}{{ $n }}', 'ba'],
    ['{{ if $n := .Token }}{{ $n }}{{ end }}', '123456'],
    ['{{ template "x" .Data }}{{ define "x" }}[{{ .name }}]{{ end }}', '[Ada]'],
    ['{{ block "x" .Data }}{{ .name }}{{ $.visits }}{{ end }}', 'Ada5'],
    ['{{ define "x" }}{{ . }}{{ end }}{{ template "x" }}.', '.'],
  ])('runs %j', (source, expected) => {
    expect(text(source)).toBe(expected)
  })

  it.each([
    ['{{ and .Token .Data.name }}|{{ and .Zero .Nobody.x }}', 'Ada|0'],
    ['{{ or .Zero .Data.name }}|{{ or .Token .Nobody.x }}', 'Ada|123456'],
    ['{{ .Data.name | or .Zero }}|{{ not .Zero }}', 'Ada|true'],
    ['{{ eq .Data.visits 4 5 }} {{ eq "a" "b" }} {{ eq .Data.none .Nobody }}', 'true false true'],
    ['{{ eq .Nobody "" }} {{ eq 1 "1" }} {{ ne .Token "1" }}', 'false false true'],
    ['{{ lt 1 2 }} {{ le 2 2 }} {{ gt "b" "a" }} {{ ge 1 2 }}', 'true true true false'],
    ['{{ len "añ🙂" }} {{ len .Data.tags }} {{ len .Data.team }}', '3 3 2'],
    ['{{ index .Data.tags 1 }} {{ index .Data "team" "a" }} {{ index .Data "x" }}', 'green Amy '],
    ['{{ slice "añ🙂z" 1 3 }} {{ slice .Data.tags 2 }} {{ slice "ab" }}', 'ñ🙂 [blue] ab'],
    ['{{ print "a" 1 2 "b" }} {{ println 1 "a" }}', 'a1 2b 1 a\n'],
    ['{{ printf "%s-%d-%5.2f-%q-%v-%%-%t" "a" 7 1.5 "b" 2 true }}', 'a-7- 1.50-"b"-2-%-true'],
    ['{{ printf "%-4s|%4s|%04d|%+d|%x|%X|%c" "a" "b" 7 7 255 "hi" 65 }}', null],
    ['{{ printf "%d %s" "a" }}', '%!d(a) %!s(MISSING)'],
    ['{{ .Data.bold | html }} {{ html "a" 1 }}', '&lt;b&gt;&#34;x&#34;&lt;/b&gt; a1'],
    ['{{ urlquery "a b&c+d" }} {{ js "a\'b" }}', 'a%20b%26c%2Bd a\\u0027b'],
    ['{{ (index .Data "team").a }} {{ ("a" | print) | len }}', 'Amy 1'],
  ])('calls %j', (source, expected) => {
    expect(text(source)).toBe(expected ?? 'a   |   b|0007|+7|ff|6869|A')
  })

  it.each([
    ['{{ .Nobody.name }}', 'line 1, column 11: .name is read from a missing value'],
    ['{{ .Data.none.name }}', 'line 1, column 14: .name is read from a missing value'],
    ['{{ .Token.name }}', 'line 1, column 10: .name is read from a value without fields'],
    ['{{ lt .Nobody 1 }}', 'line 1, column 4: lt: only two numbers or two strings have an order'],
    ['{{ eq .Data .Data }}', 'line 1, column 4: eq: lists and maps cannot be compared'],
    ['{{ index .Data.tags 9 }}', 'line 1, column 4: index: this is out of range'],
    ['{{ index .Nobody "a" }}', 'line 1, column 4: index: only lists and maps have an index'],
    ['{{ slice "abc" 2 1 }}', 'line 1, column 4: slice: this is out of range'],
    ['{{ len .Zero }}', 'line 1, column 4: len: this has no length'],
    ['{{ printf .Zero }}', 'line 1, column 4: printf: this must be a string'],
    ['{{ range .Token }}{{ end }}', 'line 1, column 10: a range requires a list or a map'],
  ])('reports an error in %j without quoting a value', (source, message) => {
    expect(faultOf(() => text(source))).toMatchObject({ fault: 'execution', message })
  })

  it.each([
    '{{ range 1000000 }}a{{ end }}',
    '{{ range 900 }}{{ range 900 }}{{ end }}{{ end }}',
    '{{ $x := "0123456789" }}{{ range 50 }}{{ $x = print $x $x }}{{ end }}',
    '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
    '{{ define "a" }}{{ template "b" }}{{ template "b" }}{{ end }}{{ define "b" }}{{ template "a" }}{{ end }}{{ template "a" }}',
  ])('is aborted above the limits: %j', (source) => {
    expect(faultOf(() => text(source))).toMatchObject({ name: 'TemplateError', fault: 'limit' })
  })

  it('optionally rejects missing values', () => {
    const strict = (source: string) => renderText(parseTemplate(source), data, { isStrict: true })

    expect(strict('Your code is {{ .Token }}')).toBe('Your code is 123456')
    expect(faultOf(() => strict('{{ .Kode }}'))).toBeInstanceOf(TemplateError)
  })
})

describe('a page', () => {
  it.each([
    ['<p>{{ .Data.bold }}</p>', '<p>&lt;b&gt;&#34;x&#34;&lt;/b&gt;</p>'],
    ['{{ .Email }}', 'o&#39;hara&#43;news@example.com'],
    ['{{ .Data.bold | html }}', '&lt;b&gt;&#34;x&#34;&lt;/b&gt;'],
    ['<p title="{{ .Data.bold }}">', '<p title="&lt;b&gt;&#34;x&#34;&lt;/b&gt;">'],
    ["<p title='{{ .Email }}'>", "<p title='o&#39;hara&#43;news@example.com'>"],
    ['<p title={{ .Data.bold }} id={{ .Nobody }}>', null],
    ['<a href="{{ .ConfirmationURL }}">', `<a href="${link.replaceAll('&', '&amp;')}">`],
    ['<a href="{{ .Data.script }}">', '<a href="#blocked-url">'],
    ['<a href="  {{ .Data.script }}">', '<a href="  #blocked-url">'],
    ['<a href="java{{ slice .Data.script 4 }}">', '<a href="java#blocked-url">'],
    ['<a xlink:href={{ .Data.script }}>', '<a xlink:href=&#35;blocked&#45;url>'],
    ['<a href="/x?q={{ .ConfirmationURL }}">', `<a href="/x?q=${encodeURIComponent(link)}">`],
    ['<a href="/x?q={{ .Data.bold | urlquery }}">', '<a href="/x?q=%3Cb%3E%22x%22%3C%2Fb%3E">'],
    ['<a href="/x/{{ .Data.bold }}/50%">', '<a href="/x/%3Cb%3E%22x%22%3C/b%3E/50%">'],
    ['<a href="mailto:{{ .Email }}">', '<a href="mailto:o%27hara&#43;news@example.com">'],
    ['<a onclick="f(\'{{ .Email }}\')">', null],
    ['<p style="color: {{ .Data.bold }}">', null],
    ['<iframe srcdoc="{{ .Data.bold }}">', null],
    ['<title>{{ .Data.bold }}</title>', '<title>&lt;b&gt;&#34;x&#34;&lt;/b&gt;</title>'],
    ['<!-- {{ .Data.bold }} -->', '<!-- &lt;b&gt;&#34;x&#34;&lt;/b&gt; -->'],
    ['<!--[if mso]><v:x href="{{ .Data.script }}"><![endif]-->', null],
    ['{{ if .Token }}<a href="{{ end }}{{ .Data.script }}">', '<a href="#blocked-url">'],
  ])('escapes in %s', (source, expected) => {
    if (expected === null) expect(html(source)).toMatchSnapshot()
    else expect(html(source)).toBe(expected)
  })

  it('keeps a value in a script one value', () => {
    const page = html(
      '<script type="application/ld+json">{"url": "{{ .ConfirmationURL }}"}</script>',
    )
    const [, json = ''] = /<script[^>]*>(.*)<\/script>/.exec(page) ?? []

    expect(JSON.parse(json)).toEqual({ url: link })
    expect(html('<script>x = "{{ .Data.bold }}"</script>{{ .Data.name }}>')).toMatchSnapshot()
  })

  it.each(['<{{ .Token }}>', '<p {{ .Token }}>', '<p title{{ .Token }}="a">', '</{{ .Token }}>'])(
    'rejects a value inside a tag: %s',
    (source) => {
      expect(faultOf(() => html(source))).toMatchObject({
        fault: 'execution',
        message: expect.stringContaining('a value is not allowed inside a tag'),
      })
    },
  )
})
