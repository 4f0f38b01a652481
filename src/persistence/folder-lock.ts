import { mkdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { FolderInUseError } from '../errors/start-errors.ts'
import { sha256Hex } from '../kit/digest.ts'

/**
 * Takes a folder, making it when it is missing, and returns what gives it back.
 *
 * The lock is a listening socket: it ends with its process, however that dies, and asking it tells
 * for certain whether its holder lives.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const address = socketAddress(resolve(folder))
  const held =
    (await listen(address)) ?? ((await isAnswered(address)) ? null : await replace(address))
  if (!held) {
    throw new FolderInUseError(
      `${folder} is in use already, by another process such as latchkey dev, or by another createAuth of this one: stop that, start this ` +
        'in another folder, or give it a database of its own (AUTH_DATABASE_URL, in code `database`)',
    )
  }
  return () => new Promise((done) => held.close(() => done()))
}

/** Short, whatever the length of the folder's path: socket addresses hold about a hundred bytes. */
function socketAddress(folder: string): string {
  const name = `latchkey-${sha256Hex(folder).slice(0, 24)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

const listen = (address: string): Promise<Server | null> =>
  new Promise((done) => {
    const server = createServer((socket) => socket.end()).unref()
    server.once('error', () => done(null))
    server.listen(address, () => done(server))
  })

const isAnswered = (address: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(address)
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })

/** Takes over what a process that died has left. */
async function replace(address: string): Promise<Server | null> {
  await rm(address, { force: true })
  return listen(address)
}
