import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderInUseError } from '../../platform/errors/start-errors.ts'
import { lockFolder } from './folder-lock.ts'

const program = `
  const { lockFolder } = await import(process.argv[1])
  await lockFolder(process.argv[2])
  process.stdout.write('locked')
  setInterval(() => {}, 1000)
`

describe('lockFolder', () => {
  let root: string
  let folder: string
  const processes: ChildProcess[] = []

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'latchkey-lock-'))
    folder = join(root, 'data')
  })

  afterEach(() => {
    for (const one of processes.splice(0)) one.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  })

  /** Starts a process that locks the folder, with its temporary files in another folder. */
  async function holdElsewhere(): Promise<ChildProcess> {
    const temporary = join(root, `tmp-${processes.length}`)
    mkdirSync(temporary)
    const holder = spawn(
      process.execPath,
      ['--input-type=module', '-e', program, import.meta.resolve('./folder-lock.ts'), folder],
      { env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    processes.push(holder)
    if (!holder.stdout) throw new Error('the process has no output')
    await once(holder.stdout, 'data')
    return holder
  }

  async function kill(holder: ChildProcess): Promise<void> {
    holder.kill('SIGKILL')
    await once(holder, 'exit')
  }

  it('S26 rejects a process with another folder for temporary files', async () => {
    await holdElsewhere()

    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError)
  })

  it('S26 rejects another path of the same folder', async () => {
    await holdElsewhere()
    symlinkSync(folder, join(root, 'link'))

    await expect(lockFolder(join(root, 'link'))).rejects.toThrow(FolderInUseError)
  })

  it('S26 rejects while the holding process is suspended', async () => {
    const holder = await holdElsewhere()
    holder.kill('SIGSTOP')

    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError)
  })

  it('S26 takes the folder of a process that was killed, and deletes its lock', async () => {
    await kill(await holdElsewhere())
    await kill(await holdElsewhere())

    const unlock = await lockFolder(folder)

    expect(readdirSync(folder)).toHaveLength(1)
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError)
    await unlock()
    expect(readdirSync(folder)).toEqual([])
  })

  it('S26 gives a folder to one of several concurrent processes, after a process that was killed', async () => {
    await kill(await holdElsewhere())

    const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)))

    const held = all.filter(({ status }) => status === 'fulfilled')
    expect(held.length).toBeLessThanOrEqual(1)
    for (const one of held) if (one.status === 'fulfilled') await one.value()
    await (await lockFolder(folder))()
  })

  it('S26 locks a folder whose path is longer than the address of a socket', async () => {
    folder = join(root, 'a'.repeat(120), 'data')
    await holdElsewhere()

    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError)
    expect(readdirSync(join(root, 'tmp-0'))).toEqual([])
  })

  it('S26 rejects a folder that is a file', async () => {
    writeFileSync(folder, '')

    await expect(lockFolder(folder)).rejects.toThrow('EEXIST')
  })
})
