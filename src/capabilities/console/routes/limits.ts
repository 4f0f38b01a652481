import { limitNames, requestLimit, settingOf } from '../../../limits/request-limit.ts'
import type { Rate } from '../../../platform/config/sections/values.ts'
import { html } from '../../../service/pages/html.ts'
import { dataTable, facts } from '../components/data-table.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRoute } from '../console-route.ts'

/** The limits that are in force, with the settings that determine them. */
export const limitsRoute: ConsoleRoute = {
  path: '/console/limits',
  show: async (request) => {
    const { deps, settings } = request
    const { rateLimits, email, sms, security, sessions } = deps.config
    const rows = limitNames.map((name) => {
      const limit = requestLimit(rateLimits, name)
      return [
        name.replaceAll('_', ' '),
        limit ? limit.burst : 'no limit',
        limit ? Number((limit.refillPerSecond * 60).toFixed(2)) : '–',
        settings.nameOf(`rateLimits.${settingOf[name]}`),
      ]
    })
    return presentConsole(request, {
      entry: 'limits',
      heading: 'Limits',
      lead: 'The limits in force. docs/limits.md describes how clients and networks share them.',
      body: html`<section><h2>Requests of one client</h2>
${dataTable({
  caption: 'Limits of requests per client',
  columns: ['Requests', 'At once', 'Then per minute', 'Setting'],
  rows,
  empty: '',
})}</section>
<section><h2>Messages</h2>
${facts({
  'Mails of all users': rateOf(rateLimits.emailSent),
  'SMS of all users': rateOf(rateLimits.smsSent),
  'Seconds between mails to one address': email.maxFrequencySeconds ?? 'no interval',
  'Seconds between SMS to one number': sms.maxFrequencySeconds,
})}</section>
<section><h2>Accounts</h2>
${facts({
  'Sessions of one user': sessions.maxPerUser,
  'Seconds for which a factor proof is recent': security.recentProofSeconds,
  'Store of the counts': rateLimits.store,
})}</section>`,
    })
  },
}

const rateOf = (rate: Rate | null): string =>
  rate === null ? 'no limit' : `${rate.count} in ${rate.perSeconds} seconds`
