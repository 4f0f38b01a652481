import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyedMutex } from '../../platform/kit/concurrency.ts'
import { isError } from '../../platform/kit/is-error.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { CommandError } from '../command-error.ts'
import type { EndLimits } from '../server/listen.ts'
import type { Environment } from '../settings/environment-remarks.ts'
import { createMembers, type Members } from './members.ts'
import type { SharedAddress } from './messages.ts'
import { type Member, type NotStarted, sendTo } from './spawn-member.ts'
import type { WorkerOutput } from './worker-output.ts'

/**
 * The numbered places of the workers. Another worker is started for one that dies, with the settings
 * of its slot. In each slot one worker is started at a time.
 */
export interface WorkerSlots {
  members: Members
  /**
   * Starts the worker of the first slot. Does not resolve after `close`.
   *
   * @throws CommandError when none becomes ready.
   */
  startFirst(): Promise<SharedAddress>
  /** Starts workers in a slot until one is ready. */
  fill(slot: number): Promise<void>
  /**
   * Replaces the worker of a slot with one that has the given settings. They become the settings of
   * the slot. Does nothing after `close`.
   *
   * @throws CommandError when a worker with these settings does not become ready.
   */
  replace(slot: number, environment: Environment): Promise<void>
  /** Starts no more workers. */
  close(): void
  isClosed(): boolean
}

export interface SlotsNeeds {
  count: number
  environment: Environment
  port: number
  logger: Logger
  /** Writes the output of the workers. */
  output: Pick<WorkerOutput, 'follow'>
}

/** The pause before a dead worker is replaced: the first, and the longest. */
const firstPauseMs = 100
const longestPauseMs = 4_000
/** The time after which a worker counts as stable. */
const stableMs = 10_000
/**
 * The time in which a worker must become ready, once any was: only the first one migrates the
 * database. Until then, the interval of warnings that none is ready.
 */
const startMs = 60_000
/** The number of workers that may end one after another before the first one is ready. */
const attemptsAtStart = 5
/** The number of attempts to replace a worker with other settings. */
const attemptsAtReload = 3
/** The time within which a signal to all processes reaches the primary process, too. */
const signalMs = 250
/** The time limit for a replaced worker to close its listener. */
const refuseMs = 2_000
/** The limits of a replaced worker, which keeps idle connections to respond to their requests. */
export const replacedLimits: EndLimits = { lingerMs: 5_000, bodyMs: null }
/** The shortest time between two warnings about connections that did not reach a worker. */
const noticeMs = 60_000
/** The time after which a worker that has to end is killed; its own limits are shorter. */
const endMs = 110_000

export function createWorkerSlots(needs: SlotsNeeds): WorkerSlots {
  const { count, port, logger, output } = needs
  const environments = new Map<number, Environment>()
  const environmentOf = (slot: number): Environment => environments.get(slot) ?? needs.environment
  const inTurn = createKeyedMutex()
  let isClosed = false
  /** The time of the last warning about connections that did not reach a worker. */
  let lostAt = Number.NEGATIVE_INFINITY
  /** The number of deaths one after another, by slot. */
  const deaths = new Map<number, number>()

  const members = createMembers({
    count,
    output,
    onReady: ({ slot, worker }) =>
      logger.info({ worker: slot + 1, pid: worker.process.pid }, 'worker ready'),
    onDeath: ({ slot, worker, readyAt }, { code, signal }) => {
      logger.warn({ worker: slot + 1, pid: worker.process.pid, code, signal }, 'worker ended')
      if (performance.now() - readyAt > stableMs) deaths.delete(slot)
      void replaceDead(slot)
    },
    onLostConnection: ({ slot, worker }) => {
      const now = performance.now()
      if (now - lostAt < noticeMs) return
      lostAt = now
      logger.warn(
        { worker: slot + 1, pid: worker.process.pid },
        'connections did not reach a worker, which has no file descriptor left: raise the limit of open files, or lower AUTH_API_MAX_CONNECTIONS',
      )
    },
    onSignal: (member) => void replaceSignalled(member),
    onSilence: ({ slot, worker }) =>
      logger.error({ worker: slot + 1, pid: worker.process.pid }, 'worker does not respond'),
  })

  /** Starts a worker, and waits until it is ready. Returns the reason if it is not. */
  const startOne = async (
    slot: number,
    settings: Environment,
  ): Promise<{ address: SharedAddress; member: Member } | NotStarted> => {
    if (isClosed) return { reason: 'the service stops', isExplained: false }
    let member: Member
    try {
      member = members.spawn({ environment: settings, slot, count, port })
    } catch (error) {
      // The system may refuse a process at once, as without memory.
      const cause = isError(error) ? error.message : String(error)
      return { reason: `not created: ${cause}`, isExplained: false }
    }
    const late = members.haveServed()
      ? sleep(startMs, { reason: 'not ready in time', isExplained: false }, { ref: false })
      : new Promise<never>(() => {})
    const notice = setInterval(() => {
      const { pid } = member.worker.process
      logger.warn(
        { worker: slot + 1, pid },
        'worker is not ready yet; it may wait for the database',
      )
    }, startMs).unref()
    const result = await Promise.race([member.started, late])
    clearInterval(notice)
    if ('url' in result) return { address: result, member }
    member.state = 'retiring'
    member.worker.process.kill('SIGKILL')
    return result
  }

  /** Waits longer after each death of a worker. */
  const pauseAfterDeath = (slot: number): Promise<unknown> => {
    const number = deaths.get(slot) ?? 0
    deaths.set(slot, number + 1)
    return sleep(Math.min(firstPauseMs * 2 ** number, longestPauseMs))
  }

  const startFirst = async (): Promise<SharedAddress> => {
    let reason = ''
    for (let attempt = 0; attempt < attemptsAtStart; attempt += 1) {
      const result = await startOne(0, environmentOf(0))
      if ('address' in result) return result.address
      // The process ends once it has stopped.
      if (isClosed) return new Promise(() => {})
      reason = result.reason
      if (result.isExplained) throw new CommandError(reason)
      logger.error({ worker: 1, reason }, 'worker did not start')
      await pauseAfterDeath(0)
    }
    throw new CommandError(`no worker became ready: the last one ${reason}`)
  }

  const readyIn = (slot: number): Member[] =>
    members.all().filter((one) => one.slot === slot && one.state === 'ready')

  /** A slot is free between two attempts: other settings may be what its worker lacks. */
  const fill = async (slot: number): Promise<void> => {
    const attempt = async (): Promise<boolean> => {
      if (isClosed || readyIn(slot).length > 0) return true
      const result = await startOne(slot, environmentOf(slot))
      if ('address' in result || isClosed) return true
      logger.error({ worker: slot + 1, reason: result.reason }, 'worker did not start')
      return false
    }
    while (!(await inTurn(`${slot}`, attempt))) await pauseAfterDeath(slot)
  }

  const replaceDead = async (slot: number): Promise<void> => {
    await pauseAfterDeath(slot)
    await fill(slot)
  }

  const retire = async (member: Member): Promise<void> => {
    member.state = 'retiring'
    members.announce()
    sendTo(member.worker, { stop: 'refuse' })
    await Promise.race([member.refusing, sleep(refuseMs, undefined, { ref: false })])
    void endMember(member, replacedLimits)
  }

  const replaceNow = async (slot: number, settings: Environment): Promise<void> => {
    let reason = ''
    for (let attempt = 0; attempt < attemptsAtReload; attempt += 1) {
      const result = await startOne(slot, settings)
      if (isClosed) return
      if ('address' in result) {
        environments.set(slot, settings)
        const former = readyIn(slot).filter((one) => one !== result.member)
        await Promise.all(former.map(retire))
        return
      }
      reason = result.reason
      // The worker reported an invalid setting: another attempt would fail, too.
      if (result.isExplained) break
      await sleep(firstPauseMs)
    }
    throw new CommandError(reason)
  }

  const replaceSignalled = async (member: Member): Promise<void> => {
    const { slot } = member
    await sleep(signalMs)
    await inTurn(`${slot}`, async () => {
      if (isClosed || member.state !== 'ready' || !members.has(member)) return
      logger.info({ worker: slot + 1 }, 'worker received a signal to stop, and is replaced')
      await replaceNow(slot, environmentOf(slot))
    }).catch((error) =>
      logger.error({ worker: slot + 1, reason: String(error) }, 'worker was not replaced'),
    )
  }

  return {
    members,
    startFirst,
    fill,
    replace: (slot, settings) => inTurn(`${slot}`, () => replaceNow(slot, settings)),
    close: () => {
      isClosed = true
    },
    isClosed: () => isClosed,
  }
}

/** Ends a worker after its running requests, and kills one that does not end. */
export async function endMember({ worker, ended }: Member, limits: EndLimits): Promise<void> {
  sendTo(worker, { end: limits })
  const limit = setTimeout(() => worker.process.kill('SIGKILL'), endMs)
  await ended
  clearTimeout(limit)
}
