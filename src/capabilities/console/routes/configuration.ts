import { valueAt } from '../../../platform/config/paths.ts'
import type { Setting } from '../../../platform/config/setting.ts'
import { settingGroups } from '../../../platform/config/settings.ts'
import { html } from '../../../service/pages/html.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { badge, mono } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRequest } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/configuration'

/** The configuration as resolved: each value with its source. Secrets are hidden. */
export const configurationRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { query, settings } = request
    const given = settings.paths()
    const isWanted = filterOf(query.get('q') ?? '', query.get('source') ?? '', given)
    const groups = settingGroups
      .map(({ title, settings: all }) => ({
        title,
        rows: (all as readonly Setting[]).filter(isWanted).map((one) => rowOf(request, one, given)),
      }))
      .filter(({ rows }) => rows.length > 0)
    return presentConsole(request, {
      entry: 'configuration',
      heading: 'Configuration',
      lead: 'The settings in force. A changed setting has an effect after a restart or reload.',
      body: html`<section>
${filterForm(
  request,
  path,
  'Configuration',
  [
    { name: 'q', label: 'Name contains' },
    {
      name: 'source',
      label: 'Source',
      choices: [
        ['', 'All'],
        ['set', 'Set'],
        ['default', 'Default'],
      ],
    },
  ],
  'Filter',
)}</section>
${groups.map(
  ({ title, rows }) => html`<section><h2>${title}</h2>
${dataTable({ caption: title, columns: ['Setting', 'Value', 'Source'], rows, empty: '' })}</section>`,
)}`,
    })
  },
}

function filterOf(q: string, source: string, given: ReadonlySet<string>) {
  const part = q.trim().toLowerCase()
  return ({ path: name, env, status }: Setting): boolean =>
    status === 'live' &&
    (part === '' ||
      name.toLowerCase().includes(part) ||
      (env ?? '').toLowerCase().includes(part)) &&
    (source === '' || (source === 'set') === given.has(name))
}

function rowOf({ deps, settings }: ConsoleRequest, setting: Setting, given: ReadonlySet<string>) {
  const { path: name, resolvedPath } = setting
  const value = valueAt(deps.config as unknown as Record<string, unknown>, resolvedPath)
  return [
    mono(name),
    setting.secret ? hiddenOf(value) : mono(textOf(value)),
    given.has(name)
      ? html`${badge('Set', 'good')} ${mono(settings.nameOf(name))}`
      : badge('Default'),
  ]
}

/** States whether a secret is set, and nothing about it. */
const hiddenOf = (value: unknown) => (isEmpty(value) ? badge('Not set') : badge('Set, hidden'))

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** Functions and objects of the application have no text. URLs are shown without credentials. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'function') return 'a function of the application'
  const text = typeof value === 'string' ? value : JSON.stringify(value, withoutFunctions)
  return (text ?? 'an object of the application')
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"]*@/gi, '$1…@')
    .slice(0, 2_000)
}

const withoutFunctions = (_: string, value: unknown): unknown =>
  typeof value === 'function' ? 'a function of the application' : value
