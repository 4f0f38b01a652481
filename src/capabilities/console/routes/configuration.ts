import { valueAt } from '../../../platform/config/paths.ts'
import type { TargetPattern } from '../../../platform/config/sections/site.ts'
import type { Setting } from '../../../platform/config/setting.ts'
import { settingGroups } from '../../../platform/config/settings.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import { html } from '../../../service/pages/html.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { badge, english, mono } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRequest } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/configuration'

/** The configuration as resolved: each value with its source. Secrets are hidden. */
export const configurationRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { query, settings, t } = request
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
      heading: t('nav.configuration'),
      lead: t('configuration.lead'),
      body: html`<section>
${filterForm(
  request,
  path,
  t('nav.configuration'),
  [
    { name: 'q', label: t('configuration.name') },
    {
      name: 'source',
      label: t('configuration.source'),
      choices: [
        ['', t('form.all')],
        ['set', t('configuration.set')],
        ['default', t('configuration.default')],
      ],
    },
  ],
  t('form.filter'),
)}</section>
${groups.map(
  ({ title, rows }) => html`<section><h2>${english(title)}</h2>
${dataTable({
  caption: title,
  columns: [t('column.setting'), t('configuration.value'), t('configuration.source')],
  rows,
  empty: '',
})}</section>`,
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

function rowOf(request: ConsoleRequest, setting: Setting, given: ReadonlySet<string>) {
  const { deps, settings, t } = request
  const { path: name, resolvedPath } = setting
  const value = valueAt(deps.config as unknown as Record<string, unknown>, resolvedPath)
  return [
    mono(name),
    setting.secret ? hiddenOf(request, value) : mono(textOf(request, value)),
    given.has(name)
      ? html`${badge(t('configuration.set'), 'good')} ${mono(settings.nameOf(name))}`
      : badge(t('configuration.default')),
  ]
}

const isAllowList = (value: unknown): value is readonly TargetPattern[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && 'rest' in one)

/** States whether a secret is set, and nothing about it. */
const hiddenOf = ({ t }: ConsoleRequest, value: unknown) =>
  badge(t(isEmpty(value) ? 'configuration.notSet' : 'configuration.hidden'))

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/**
 * Functions and objects of the application have no text. URLs are shown without credentials, and
 * redirect targets as they were configured.
 */
function textOf({ t }: ConsoleRequest, value: unknown): string {
  if (value === null || value === undefined) return t('configuration.none')
  const isFunction = (one: unknown) => typeof one === 'function'
  if (isFunction(value)) return t('configuration.function')
  // A logger.
  if (isRecord(value) && isFunction(value['info'])) return t('configuration.object')
  if (isAllowList(value)) return JSON.stringify(value.map(({ text }) => text))
  const withNames = (_: string, one: unknown): unknown =>
    isFunction(one) ? t('configuration.function') : one
  const text = typeof value === 'string' ? value : JSON.stringify(value, withNames)
  return (text ?? t('configuration.object'))
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"]*@/gi, '$1…@')
    .slice(0, 2_000)
}
