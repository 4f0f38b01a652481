import { signUpEndpoint } from '../../src/endpoints/sign-up/sign-up.endpoint.ts'
import { checkBody } from '../../src/platform/http/check-input.ts'
import { jsonIn } from '../../src/platform/http/plain-json.ts'
import type { Bench } from '../bench.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'

/** A sign-up as the client sends it. */
const text = JSON.stringify({
  email: 'ada@example.com',
  password: 'correct horse',
  data: { name: 'Ada Lovelace', plan: 'free' },
  gotrue_meta_security: { captcha_token: 'token' },
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 's256',
})

/** The time to read the body of a sign-up: its text, and its fields by their structs. */
export async function measureReadInput({ plan }: Pick<Bench, 'plan'>): Promise<Section> {
  const { body } = signUpEndpoint
  const parsed = jsonIn(text)
  const rounds = Array.from({ length: plan.rounds + 1 }, () => ({
    body: microsecondsOf(plan.verifications, () => checkBody(jsonIn(text), body)),
    fields: microsecondsOf(plan.verifications, () => checkBody(parsed, body)),
  })).slice(1)
  const whole = median(rounds.map((round) => round.body))
  return {
    title: 'Read an input',
    note: 'The body of `POST /signup`, from its text, and the check of its fields alone. µs of CPU per body.',
    table: [
      ['input', 'text and fields', 'fields alone'],
      ['sign-up', digits(whole), digits(median(rounds.map((round) => round.fields)))],
    ],
    bars: [{ what: 'read a sign-up body', measured: whole, unit: 'µs', limit: { atMost: 10 } }],
  }
}

/** Returns the CPU time of this process for one piece of work, which other processes do not extend. */
function microsecondsOf(count: number, work: () => unknown): number {
  const before = process.cpuUsage()
  for (let done = 0; done < count; done += 1) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
