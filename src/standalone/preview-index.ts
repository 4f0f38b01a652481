import { parseTemplate } from '../go-template/parse-template.ts'
import { renderHtml } from '../go-template/render-template.ts'

export interface PreviewedMail {
  /** Without its ending: there is one for HTML and one for text. */
  file: string
  type: string
  language: string
  subject: string
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid #8885; padding: .5rem .75rem .5rem 0; }
</style>
</head>
<body>
<h1>Mails</h1>
<table>
{{ range .mails }}<tr><td>{{ .type }}</td><td>{{ .language }}</td>
<td lang="{{ .language }}"><a href="{{ .file }}.html">{{ .subject }}</a></td>
<td><a href="{{ .file }}.txt">text</a></td></tr>
{{ end }}</table>
</body>
</html>
`

/** A page that leads to each of the mails beside it. */
export const previewIndex = (mails: readonly PreviewedMail[]): string =>
  renderHtml(parseTemplate(page), { mails })
