import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FolderInUseError } from '../../platform/errors/start-errors.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'

type Unlock = () => Promise<void>

/**
 * Locks a folder, creating it when it is missing, and returns the function that unlocks it.
 *
 * The lock is a listening socket in the folder itself, so every process that can write there sees
 * it, whatever its environment. It ends with its process, also when that is killed: connecting
 * shows whether its holder lives.
 *
 * @throws FolderInUseError when another process, or another part of this one, holds the folder.
 */
export async function lockFolder(folder: string): Promise<Unlock> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unlock = await lock(await realpath(folder))
  if (unlock) return unlock
  throw new FolderInUseError(
    `${folder} is already in use by another process, such as latchkey dev, or by another createAuth of this one. Stop that, start this one ` +
      'in another folder, or set a database URL (AUTH_DATABASE_URL, in code `database`)',
  )
}

async function lock(folder: string): Promise<Unlock | null> {
  if (process.platform === 'win32') return lockByPipe(folder)
  const directory = await openSocketDirectory(folder)
  try {
    return await lockBySocket(folder, directory.path)
  } finally {
    await directory.close()
  }
}

const prefix = '.latchkey-lock-'
/** The lowest limit of all systems for the address of a socket: that of macOS. */
const maxAddressBytes = 103
const maxAttempts = 4

/**
 * Each process creates a socket with a name of its own, then looks for other sockets. Of two, at
 * least one sees the other. A name is never used twice, so the socket of a dead process can be
 * deleted without a race.
 *
 * @returns null when another socket is alive.
 */
async function lockBySocket(folder: string, directory: string): Promise<Unlock | null> {
  for (let attempt = 1; ; attempt++) {
    const name = `${prefix}${randomBytes(6).toString('hex')}`
    const unlock = (await isHeld(directory, name)) ? null : await tryLock(folder, directory, name)
    if (unlock || attempt === maxAttempts) return unlock
    // Two that saw each other have both withdrawn.
    await delay(randomInt(10, 100))
  }
}

async function tryLock(folder: string, directory: string, name: string): Promise<Unlock | null> {
  const server = await listen(join(directory, `.${name}`)).catch((cause: unknown) => {
    throw new Error(
      `${folder} cannot be locked: its file system supports no sockets. Use a folder of a local disk, or AUTH_DATABASE_URL`,
      { cause },
    )
  })
  const unlock = async () => {
    await rm(join(folder, name), { force: true })
    await new Promise((closed) => server.close(closed))
  }
  try {
    // Under its final name a socket always listens: one that refuses a connection is dead.
    await rename(join(folder, `.${name}`), join(folder, name))
    if (!(await isHeld(directory, name))) return unlock
  } catch (error) {
    await unlock()
    throw error
  }
  await unlock()
  return null
}

/** Whether a socket other than `own` is alive. Deletes the dead ones. */
async function isHeld(directory: string, own: string): Promise<boolean> {
  const names = await readdir(directory)
  const others = names.filter((name) => name.startsWith(prefix) && name !== own)
  const alive = await Promise.all(others.map((name) => isAlive(join(directory, name))))
  return alive.includes(true)
}

async function isAlive(address: string): Promise<boolean> {
  const code = await new Promise<string | undefined>((done) => {
    const socket = connect(address)
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'unknown'))
    socket.once('connect', () => {
      socket.destroy()
      done(undefined)
    })
  })
  if (code === 'ENOENT') return false
  // Any other error, such as a full queue of connections, does not show that the holder is dead.
  if (code !== 'ECONNREFUSED') return true
  await rm(address, { force: true })
  return false
}

/** Provides a path of the folder that is short enough for the address of a socket. */
async function openSocketDirectory(folder: string) {
  const longest = join(folder, `.${prefix}${'0'.repeat(12)}`)
  if (Buffer.byteLength(longest) <= maxAddressBytes) return { path: folder, close: async () => {} }
  const parent = tmpdir().length <= 50 ? tmpdir() : '/tmp'
  const alias = await mkdtemp(join(parent, 'latchkey-'))
  const path = join(alias, 'f')
  await symlink(folder, path)
  return { path, close: () => rm(alias, { recursive: true, force: true }) }
}

/** On Windows sockets are named pipes, which are no files: all processes share their names. */
async function lockByPipe(folder: string): Promise<Unlock | null> {
  const address = `\\\\.\\pipe\\latchkey-${sha256Hex(folder.toLowerCase()).slice(0, 24)}`
  const server = await listen(address).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') return null
    throw error
  })
  return server && (() => new Promise((done) => server.close(() => done())))
}

const listen = (address: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end()).unref()
    server.once('error', reject)
    server.listen(address, () => resolve(server))
  })
