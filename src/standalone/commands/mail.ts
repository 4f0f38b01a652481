import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseTemplate } from '../../go-template/parse-template.ts'
import { renderHtml } from '../../go-template/render-template.ts'
import { systemClock } from '../../kit/clock.ts'
import { languages } from '../../messages/email/languages.ts'
import type { RenderedMail } from '../../messages/email/mail.ts'
import { messageTypes } from '../../messages/email/message-type.ts'
import { createMailRenderer } from '../../messages/email/render-mail.ts'
import { mailKinds, sampleMail } from '../../messages/email/sample-mail.ts'
import { type Logger, silentLogger } from '../../observability/logger.ts'
import { checkEnvironment } from '../environment.ts'
import { parseFlags, refuseWords } from '../parse-flags.ts'
import { unknownCommand } from '../usage.ts'
import { UsageError } from '../usage-error.ts'

/** `latchkey mail preview [FOLDER]`: all mails as files, to be looked at. Nothing is sent. */
export async function mail(args: string[]): Promise<void> {
  const [name = '', folder = 'mail-preview', ...rest] = parseFlags('mail', args, {}).positionals
  if (name === '') throw new UsageError('mail: what is to be done?')
  if (name !== 'preview') throw unknownCommand('mail', name)
  refuseWords('mail preview', rest)
  const target = resolve(folder)
  await mkdir(target, { recursive: true })
  const mails = await writeMails(target)
  const index = join(target, 'index.html')
  await writeFile(index, previewIndex(mails))
  process.stdout.write(`${mails.length} mails: ${index}\n`)
}

async function writeMails(target: string): Promise<PreviewedMail[]> {
  // What only a running service needs may be missing: a preview needs neither database nor server.
  const { resolved: config } = checkEnvironment(process.env, { development: true })
  const renderer = createMailRenderer({ config, clock: systemClock, logger: printingLogger })
  const written: PreviewedMail[] = []
  for (const kind of mailKinds) {
    for (const language of languages) {
      const rendered = await renderer.render(sampleMail(kind, config.siteUrl, language))
      const file = `${messageTypes[kind]}.${language}`
      await writeMail(join(target, file), rendered)
      written.push({ file, language, type: messageTypes[kind], subject: rendered.subject })
    }
  }
  await renderer.close()
  return written
}

async function writeMail(path: string, { html, text }: RenderedMail): Promise<void> {
  await writeFile(`${path}.html`, html)
  await writeFile(`${path}.txt`, text)
}

/** Says what is wrong with the templates of one's own, which is what one came to see. */
const printingLogger: Logger = {
  ...silentLogger,
  error: (fields, message) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
}

interface PreviewedMail {
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
const previewIndex = (mails: readonly PreviewedMail[]): string =>
  renderHtml(parseTemplate(page), { mails })
