import type { Bench } from '../bench.ts'
import { type Office, openOffice } from '../kit/office.ts'
import type { Section } from '../report/section.ts'
import { describeImports } from './admin/imports.ts'
import { measureLists } from './admin/lists.ts'
import { measureLookUps } from './admin/look-ups.ts'

/**
 * Measures the operations of operators: imports, look-ups and lists, with few and with many users.
 */
export async function measureAdmin(bench: Bench): Promise<Section[]> {
  const offices: Office[] = []
  for (const size of bench.plan.admin.sizes) offices.push(await openOffice(bench, size))
  const sections = [
    describeImports(offices),
    await measureLookUps(bench, offices),
    await measureLists(bench, offices),
  ]
  for (const { worker } of offices) await worker.stop()
  return sections
}
