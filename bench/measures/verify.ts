import { type Bench, rotated } from '../bench.ts'
import { startChild } from '../kit/child-process.ts'
import { type Algorithm, algorithms } from '../kit/signing-keys.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import type { VerifyFigures } from '../targets/latchkey/verify.ts'

/** Measures the verification of an access token. */
export async function measureVerify({ plan }: Bench): Promise<Section> {
  const child = await startChild('targets/latchkey/verify.ts')
  const rounds = new Map<Algorithm, VerifyFigures[]>(algorithms.map((each) => [each, []]))
  for (let round = -1; round < plan.rounds; round += 1) {
    for (const algorithm of rotated(algorithms, Math.max(0, round))) {
      const input = { algorithm, count: plan.verifications }
      const figures = await child.ask<VerifyFigures>('verify', input)
      if (round >= 0) rounds.get(algorithm)?.push(figures)
    }
  }
  await child.stop()

  const ratio = (algorithm: Algorithm) =>
    median((rounds.get(algorithm) ?? []).map(({ ours, bare }) => ours / bare))
  return {
    title: 'Verify a token',
    note: '`auth.verifyToken` for a token that is used repeatedly, as clients do, and for a new one, against the signature check of node:crypto alone, prepared. µs per token; no database is used.',
    table: [
      ['algorithm', 'verifyToken', 'never seen', 'node:crypto', '×', 'never seen, ×'],
      ...[...rounds].map(([algorithm, figures]) => [
        algorithm,
        digits(median(figures.map(({ ours }) => ours))),
        digits(median(figures.map(({ first }) => first))),
        digits(median(figures.map(({ bare }) => bare))),
        digits(ratio(algorithm)),
        digits(median(figures.map(({ first, bare }) => first / bare))),
      ]),
    ],
    bars: algorithms.map((algorithm) => ({
      what: `verify a token, ${algorithm}: time, against node:crypto`,
      measured: ratio(algorithm),
      unit: '×',
      limit: { atMost: 1.3 },
    })),
  }
}
