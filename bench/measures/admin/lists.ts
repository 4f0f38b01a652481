import type { Bench } from '../../bench.ts'
import { type List, type ListFigures, lists } from '../../kit/admin-looks.ts'
import { isAMillion, type Office, sizeOf } from '../../kit/office.ts'
import { median } from '../../kit/statistics.ts'
import type { Bar, Section } from '../../report/section.ts'
import { digits } from '../../report/table.ts'

/** One page of one database: medians of all rounds. */
interface Listed extends ListFigures {
  office: Office
  list: List
  ratio: number
}

/** Measures the wire's list beside the minimum cost of the same query. */
export async function measureLists(bench: Bench, offices: Office[]): Promise<Section> {
  const listed: Listed[] = []
  for (const office of offices) {
    for (const list of lists) listed.push(await measureList(bench, office, list))
  }
  return {
    title: 'Listing users on the wire',
    note: 'A page of 50 by `GET /admin/users`, and beside it two statements that do the least: `count(*)`, and the rows by `offset`; in turn, median times in ms.',
    table: [
      ['page', 'users', 'wire', 'bare SQL', 'ratio'],
      ...listed.map(({ list, office, wire, bare, ratio }) => [
        list,
        sizeOf(office),
        digits(wire),
        digits(bare),
        digits(ratio),
      ]),
    ],
    // With few users the fifty records dominate the time, not their position.
    bars: listed.filter(({ office }) => isAMillion(office)).map(barOf),
  }
}

async function measureList({ plan }: Bench, office: Office, list: List): Promise<Listed> {
  const rounds: ListFigures[] = []
  for (let round = -1; round < plan.rounds; round += 1) {
    const given = { list, count: plan.admin.lists }
    const figures = await office.worker.ask<ListFigures>('list', given)
    if (round >= 0) rounds.push(figures)
  }
  const middle = (pick: (each: ListFigures) => number) => median(rounds.map(pick))
  return {
    office,
    list,
    wire: middle(({ wire }) => wire),
    bare: middle(({ bare }) => bare),
    ratio: middle(({ wire, bare }) => wire / bare),
  }
}

const barOf = ({ list, office, ratio }: Listed): Bar => ({
  what: `GET /admin/users, ${list} page of ${sizeOf(office)}: time, against bare SQL`,
  measured: ratio,
  unit: '×',
  limit: { atMost: 1.3 },
})
