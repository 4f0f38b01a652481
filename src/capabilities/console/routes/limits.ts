import { limitNames, requestLimit, settingOf } from '../../../limits/request-limit.ts'
import type { Rate } from '../../../platform/config/sections/values.ts'
import { html } from '../../../service/pages/html.ts'
import { dataTable, facts } from '../components/data-table.ts'
import { count, english, mono } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRequest } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

/** The limits that are in force, with the settings that determine them. */
export const limitsRoute: ConsoleRoute = {
  path: '/console/limits',
  show: async (request) => {
    const { deps, settings, t } = request
    const { rateLimits, email, sms, security, sessions } = deps.config
    const rows = limitNames.map((name) => {
      const limit = requestLimit(rateLimits, name)
      return [
        english(name.replaceAll('_', ' ')),
        limit ? limit.burst : t('limits.none'),
        limit ? Number((limit.refillPerSecond * 60).toFixed(2)) : null,
        mono(settings.nameOf(`rateLimits.${settingOf[name]}`)),
      ]
    })
    const seconds = (value: number | null) =>
      value === null ? t('limits.none') : count(request, value)
    return presentConsole(request, {
      entry: 'limits',
      heading: t('nav.limits'),
      lead: t('limits.lead'),
      body: html`<section><h2>${t('limits.requests')}</h2>
${dataTable({
  caption: t('limits.caption'),
  columns: [t('limits.requestKind'), t('limits.burst'), t('limits.refill'), t('column.setting')],
  rows,
  empty: '',
})}</section>
<section><h2>${t('limits.messages')}</h2>
${facts({
  [t('limits.mails')]: rateOf(request, rateLimits.emailSent),
  [t('limits.sms')]: rateOf(request, rateLimits.smsSent),
  [t('limits.mailInterval')]: seconds(email.maxFrequencySeconds),
  [t('limits.smsInterval')]: seconds(sms.maxFrequencySeconds),
})}</section>
<section><h2>${t('limits.accounts')}</h2>
${facts({
  [t('limits.sessions')]: count(request, sessions.maxPerUser),
  [t('limits.recentProof')]: count(request, security.recentProofSeconds),
  [t('limits.store')]: rateLimits.store,
})}</section>`,
    })
  },
}

const rateOf = (request: ConsoleRequest, rate: Rate | null): string =>
  rate === null
    ? request.t('limits.none')
    : request.t('limits.rate', {
        count: count(request, rate.count),
        seconds: count(request, rate.perSeconds),
      })
