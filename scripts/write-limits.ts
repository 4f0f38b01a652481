/** Writes the table of requests per client into docs/limits.md: `npm run docs`. */

import { guardsOf } from '../src/endpoints/http/guards.ts'
import {
  type LimitName,
  type LimitSettings,
  limitNames,
  requestLimit,
  settingOf,
} from '../src/limits/request-limit.ts'
import { mainName } from '../src/platform/config/environment-names.ts'
import { settingAt } from '../src/platform/config/settings.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { code, pageWithTable, renderTable } from './page-table.ts'
import { headingOf } from './write-endpoints.ts'

export function renderLimits(): string {
  const table = renderTable(
    ['Endpoints, counted together', 'Setting', 'Requests', 'Of them at once'],
    [...limitNames].sort(bySetting).map(rowOf),
  )
  return pageWithTable('limits.md', 'write-limits.ts', table)
}

const settings = Object.values(settingOf)
const defaults = Object.fromEntries(
  settings.map((name) => [name, Number(settingAt(`rateLimits.${name}`)?.default)]),
) as Record<keyof LimitSettings, number>
const bySetting = (one: LimitName, other: LimitName): number =>
  settings.indexOf(settingOf[one]) - settings.indexOf(settingOf[other])

const periods: Readonly<Record<number, string>> = { 1: 'a minute', 60: 'an hour' }

function rowOf(name: LimitName): string[] {
  const env = settingAt(`rateLimits.${settingOf[name]}`)?.env
  const count = defaults[settingOf[name]]
  const limit = requestLimit(defaults, name)
  if (!env || !count || !limit) throw new Error(`the limit ${name} has no setting`)
  const minutes = Math.round(count / limit.refillPerSecond / 60)
  return [
    endpointsOf(name),
    code(mainName(env)),
    `${count} in ${periods[minutes] ?? `${minutes} minutes`}`,
    String(limit.burst),
  ]
}

/**
 * Endpoints without a description: those of companions, and sign-ups that only their body
 * distinguishes.
 */
const remarks: Partial<Record<LimitName, string>> = {
  token: '`/oauth/userinfo` with a DPoP proof, `POST /sessions` of subscription pages',
  subscribe_pages: 'the other endpoints of [subscription pages](subscribe-pages.md)',
  oauth_document: 'requests with the document of an unknown client as `client_id`',
  anonymous: '`POST /signup` of an anonymous user',
}

function endpointsOf(name: LimitName): string {
  const own = endpoints.filter((endpoint) => guardsOf(endpoint).limit === name).map(headingOf)
  const named = own.filter((heading) => name !== 'anonymous' || heading !== 'POST /signup')
  return [...new Set(named)]
    .map(code)
    .concat(remarks[name] ?? [])
    .join(', ')
}
