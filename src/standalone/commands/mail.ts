import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type RenderedMail, sampleMail } from '../../delivery/mail/mail.ts'
import { createMailRenderer } from '../../delivery/mail/render-mail.ts'
import type { Config } from '../../platform/config/config.ts'
import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import { renderHtml } from '../../platform/go-template/render-template.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { escapeControls } from '../../platform/kit/escape-controls.ts'
import { languages } from '../../platform/kit/languages.ts'
import { type MailKind, mailKinds, mails } from '../../platform/mails/mails.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import { UsageError } from '../command-error.ts'
import { writePrivateFile } from '../private-files.ts'
import { type CodeConfig, checkCodeConfig } from '../settings/code-config.ts'
import { checkEnvironment } from '../settings/environment.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'
import { unknownCommand } from '../usage.ts'

/** `latchkey mail preview [FOLDER]`: writes all mails as files. Sends nothing. */
export async function mail(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const [name = '', folder = 'mail-preview', ...rest] = parseFlags('mail', args, {}).positionals
  if (name === '') throw new UsageError('mail: which action?')
  if (name !== 'preview') throw unknownCommand('mail', name)
  rejectWords('mail preview', rest)
  const target = resolve(folder)
  await mkdir(target, { recursive: true, mode: 0o700 })
  const mails = await writeMails(target, settingsOf(code ?? null))
  const index = join(target, 'index.html')
  writePrivateFile(index, previewIndex(mails))
  process.stdout.write(`${mails.length} mails: ${index}\n`)
}

/**
 * A preview needs neither database nor server, so their settings may be missing, in production,
 * too.
 */
function settingsOf(code: CodeConfig | null): Config {
  const { NODE_ENV: _, ...env } = process.env
  if (code === null) return checkEnvironment(env, { development: true }).resolved
  const config = { ...code.config, development: true }
  return checkCodeConfig({ ...code, config }, env).resolved
}

/** Returns the languages of the built-in mails, and further ones with a template of this kind. */
function languagesOf({ email }: Config, kind: MailKind): string[] {
  const templates = email.templates[kind]
  const own = templates !== null && typeof templates === 'object' ? Object.keys(templates) : []
  return [...new Set([...languages, ...own])]
}

async function writeMails(target: string, config: Config): Promise<PreviewedMail[]> {
  const renderer = createMailRenderer({ config, clock: systemClock, logger: printingLogger })
  const written: PreviewedMail[] = []
  for (const kind of mailKinds) {
    for (const language of languagesOf(config, kind)) {
      const rendered = await renderer.render(sampleMail(kind, config.siteUrl, language))
      const file = `${mails[kind].messageType}.${language}`
      writeMail(join(target, file), rendered)
      written.push({ file, language, type: mails[kind].messageType, subject: rendered.subject })
    }
  }
  await renderer.close()
  return written
}

function writeMail(path: string, { html, text }: RenderedMail): void {
  writePrivateFile(`${path}.html`, html)
  writePrivateFile(`${path}.txt`, text)
}

/** Prints errors in the operator's own templates, which a preview is meant to show. */
const printingLogger: Logger = {
  ...silentLogger,
  error: (fields, message) =>
    process.stderr.write(`${message}: ${escapeControls(JSON.stringify(fields))}\n`),
}

interface PreviewedMail {
  /** The name without extension: there is an HTML file and a text file. */
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

/** Returns a page with links to all mails. */
const previewIndex = (mails: readonly PreviewedMail[]): string =>
  renderHtml(parseTemplate(page), { mails })
