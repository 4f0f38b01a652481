import type { AdminApi } from '../../service/api/admin-api.ts'
import { UsageError } from '../command-error.ts'
import { openForReading } from '../operator.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable } from '../terminal/print-result.ts'

/**
 * `latchkey why REQUEST_ID`: prints the decisions about a request of the last day, with the rule
 * behind each.
 */
export async function why(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { values, positionals } = parseFlags('why', args, {
    json: { type: 'boolean', default: false },
  })
  const [id, ...others] = positionals
  if (!id || others.length > 0) {
    throw new UsageError('why: expects one request id, which the response contains as X-Request-Id')
  }
  const { admin, close } = await openForReading(code)
  try {
    const decisions = await admin.explain(id)
    if (values.json) process.stdout.write(`${jsonForTerminal(decisions)}\n`)
    else if (decisions.length === 0) process.stdout.write(nothing)
    else printTable(columns, decisions.map(describe))
  } finally {
    await close()
  }
}

const nothing =
  'No decision is stored for this request: it was not rejected, it is less than five seconds or more than a day old, or it exceeded the number of stored decisions.\n'

const columns = ['time', 'endpoint', 'status', 'kind', 'rule', 'meaning']

type Explained = Awaited<ReturnType<AdminApi['explain']>>

const describe = ({ decidedAt, endpoint, status, kind, rule, meaning }: Explained[number]) => [
  decidedAt.toISOString(),
  endpoint,
  String(status),
  kind,
  rule,
  meaning,
]
