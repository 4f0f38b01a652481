/** Generates docs/configuration.md from the table of settings: `npm run docs`. */

import {
  describeSettings,
  type SettingDescription,
  type SettingGroupDescription,
} from '../src/platform/config/describe-settings.ts'
import { providerNames } from '../src/platform/config/provider-names.ts'
import { hookPoints } from '../src/platform/config/settings/hooks.ts'
import { settings } from '../src/platform/config/settings.ts'
import { isUsedOnce } from '../src/standalone/server/reload-on-change.ts'
import { withContents } from './contents.ts'

export function renderConfigurationDocs(): string {
  const text = [introduction, ...describeSettings().map(renderGroup)].join('\n')
  return withContents(text, '[Endpoints](endpoints.md)')
}

const introduction = `# Configuration

<!-- Written by scripts/write-configuration-docs.ts from src/platform/config/settings. Run npm run docs. -->

Look up a setting: its names, unit, default and meaning. Every setting has a name in code, for \`createAuth\`, and one in the environment, for the server
(\`latchkey serve\`). All defects of a configuration are reported together, before the service starts;
\`latchkey doctor\` lists settings that have no effect yet.

- **Status.** \`live\`: this version uses it. \`live, restart\`: \`latchkey serve\` applies a changed value at its next start only;
  changed values of all others also [while it runs](operations.md#change-settings-while-it-runs). An application applies them with the next
  \`createAuth\`. \`offers-later\`: the feature is not built yet; setting it causes a
  warning at start, and has no effect. It is validated nevertheless: an invalid value is rejected at start, and so is a
  provider, SAML or a hook that is enabled without its required settings. A deprecated setting works, with a warning that
  names its replacement.
- **Names.** Where several are listed, the first that is set is used. A \`.env\` file in the working
  directory is read too; the environment overrides it. For a move from the former server, \`GOTRUE_<NAME>\` is read
  where \`AUTH_<NAME>\` is absent, except for the URL of the database; \`GOTRUE_DB_NAMESPACE\` is
  \`AUTH_DB_SCHEMA\`.
- **Booleans** are \`true\` or \`false\` (also \`1\`, \`t\`, \`0\`, \`f\`).
- **Seconds.** A bare number means seconds; \`15m\`, \`1h30m\`, \`500ms\` work everywhere.
- **Lists** are separated by commas; in code they are arrays.
- **Empty.** A text, list or URL that is set but empty counts as absent.

In code, some settings have a short form: \`database: 'postgres://…'\`, \`email.smtp:
'smtps://user:password@host:465'\`, \`email.from: 'Acme <no-reply@example.com>'\`, and a function for a
hook.

With \`development: true\`, which \`latchkey dev\` sets, no setting is required: the database is embedded,
links end at a page with the result (for a mounted service, with a \`basePath\`, at
\`http://127.0.0.1:3000\`), \`externalUrl\` is the server's own, and messages go to the development mailbox
unless a carrier is configured.
`

/** Remarks before a table, by the title of its group. */
const remarks: Record<string, string> = {
  'External providers': `\`<PROVIDER>\` is one of ${providerNames.map(code).join(', ')}: in lower case in code, in upper
case in the environment. In code, a provider with settings is enabled.`,
  Hooks: `\`<point>\` in code, and \`<POINT>\` in the environment, is one of ${hookPoints
    .map(({ name, env }) => `${code(name)} (${code(env)})`)
    .join(', ')}; hooks with rows of their own are not listed here. In code, a hook
with settings is enabled.`,
  'Without effect':
    'Former names, and settings of the former server. Setting one causes a warning at start that names the replacement.',
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
    names.length > 0 && needsRestart(path) ? `${status}, restart` : status,
    description,
  ])
  return renderRows(['Environment', 'Code', 'Unit or type', 'Default', 'Status', 'Meaning'], rows)
}

const needsRestart = (path: string | null): boolean => {
  const setting = settings.find((one) => one.path === path)
  return setting !== undefined && isUsedOnce(setting)
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
