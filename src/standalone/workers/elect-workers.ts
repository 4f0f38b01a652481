import type { GroupTask } from '../../service/worker-group.ts'

const tasks: readonly GroupTask[] = ['keys', 'outbox', 'sweeping']

/** Assigns each background task to one worker. */
export interface Election<Candidate> {
  /**
   * Assigns the tasks again after candidates were added or removed. A task stays with its worker.
   *
   * @returns the tasks of each candidate.
   */
  assign(candidates: readonly Candidate[]): Map<Candidate, GroupTask[]>
}

export function createElection<Candidate>(): Election<Candidate> {
  const holders = new Map<GroupTask, Candidate>()
  const isFree = (task: GroupTask, candidates: readonly Candidate[]): boolean => {
    const holder = holders.get(task)
    return holder === undefined || !candidates.includes(holder)
  }
  return {
    assign: (candidates) => {
      const assigned = new Map<Candidate, GroupTask[]>(candidates.map((one) => [one, []]))
      const free = tasks.filter((task) => isFree(task, candidates))
      for (const task of tasks) {
        const holder = holders.get(task)
        if (holder !== undefined && !free.includes(task)) assigned.get(holder)?.push(task)
      }
      for (const task of free) {
        const [least] = [...assigned].toSorted(([, one], [, other]) => one.length - other.length)
        holders.delete(task)
        if (!least) continue
        holders.set(task, least[0])
        least[1].push(task)
      }
      return assigned
    },
  }
}
