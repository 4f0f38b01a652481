/** Makes docs/configuration.md of the table of settings: `npm run docs`. */

import {
  describeSettings,
  type SettingDescription,
  type SettingGroupDescription,
} from '../src/platform/config/describe-settings.ts'
import { providerNames } from '../src/platform/config/provider-names.ts'
import { hookPoints } from '../src/platform/config/settings/hooks.ts'

export function renderConfigurationDocs(): string {
  return [introduction, ...describeSettings().map(renderGroup)].join('\n')
}

const introduction = `# Configuration

<!-- Written by scripts/write-configuration-docs.ts from src/platform/config/settings. Run npm run docs. -->

Every setting has a name in code, for \`createAuth\`, and one in the environment, for the server
(\`latchkey serve\`). What is wrong with a configuration is told all at once, before anything starts;
\`latchkey doctor\` tells which of the given settings have no effect yet.

- **Status.** \`live\`: this version acts on it. \`offers-later\`: what it governs is not built yet; setting it is warned
  about at start, and has no effect. It is checked like any other all the same: a value that makes no sense is refused
  at start, and so is a provider, SAML or a hook that is switched on without what the table requires. What is deprecated
  acts, with a warning that names what to use.
- **Names.** Where several are listed, the first that is set wins. A \`.env\` file in the working
  directory is read too; the environment beats it. For those who move in, \`GOTRUE_<NAME>\` is read
  where \`AUTH_<NAME>\` is absent, save for the URL of the database; \`GOTRUE_DB_NAMESPACE\` means
  \`AUTH_DB_SCHEMA\`.
- **Booleans** are \`true\` or \`false\` (also \`1\`, \`t\`, \`0\`, \`f\`).
- **Seconds.** A bare number means seconds; \`15m\`, \`1h30m\`, \`500ms\` work everywhere.
- **Lists** are separated by commas; in code they are arrays.
- **Empty.** A text, list or URL that is set but empty counts as absent.

In code, some things have a short form: \`database: 'postgres://…'\`, \`email.smtp:
'smtps://user:password@host:465'\`, \`email.from: 'Acme <no-reply@example.com>'\`, and a function for a
hook.

With \`development: true\`, which \`latchkey dev\` sets, nothing is required: the database is embedded,
links end at a page that says what happened (for a service that is mounted, with a \`basePath\`, at
\`http://127.0.0.1:3000\`), \`externalUrl\` is the server's own, and messages go to a mailbox of its own
unless a carrier is configured.
`

/** What a table needs to be understood, by the title of its group. */
const remarks: Record<string, string> = {
  'External providers': `\`<PROVIDER>\` is one of ${providerNames.map(code).join(', ')}: in lower case in code, in upper
case in the environment. In code, naming a provider switches it on.`,
  Hooks: `\`<point>\` in code, and \`<POINT>\` in the environment, is one of ${hookPoints
    .map(({ name, env }) => `${code(name)} (${code(env)})`)
    .join(', ')}; those that have rows of their own are not among them. In code,
naming a hook switches it on.`,
  'Without effect':
    'Names of the past, and of the former server. They are known, so that setting one is told at start, with what does it instead.',
}

function renderGroup({ title, settings }: SettingGroupDescription): string {
  const isPast = settings.every(({ status }) => status === 'unsupported')
  const table = isPast ? renderPast(settings) : renderTable(settings)
  const remark = remarks[title]
  return [`## ${title}`, ...(remark ? [remark] : []), `${table}\n`].join('\n\n')
}

function renderTable(settings: readonly SettingDescription[]): string {
  const rows = settings.map(({ names, path, value, default: fallback, status, description }) => [
    names.map(code).join(', ') || '–',
    code(path ?? ''),
    value,
    fallback,
    status,
    description,
  ])
  return renderRows(['Environment', 'Code', 'Unit or type', 'Default', 'Status', 'Meaning'], rows)
}

const renderPast = (settings: readonly SettingDescription[]) =>
  renderRows(
    ['Environment', 'What it was'],
    settings.map(({ names, description }) => [names.map(code).join(', '), description]),
  )

function renderRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.map(escapePipes).join(' | ')} |`).join('\n')
}

const escapePipes = (cell: string) => cell.replaceAll('|', '\\|')

function code(text: string): string {
  return `\`${text}\``
}
