/**
 * The file of the addon that a function comes from, as Node loaded it for this process.
 *
 * A path that is worked out from a package's name leads nowhere in what a bundler made of a host, or in a
 * copy of that without `node_modules`. Whatever of all these could be imported has been loaded from somewhere.
 *
 * @throws Error where it was loaded in another way, such as from WebAssembly.
 */
export function findAddon(name: string, comesFromIt: unknown): string {
  // Taken from the process, since bundlers resolve at build time what they see of this module.
  const { createRequire } = process.getBuiltinModule('node:module')
  const loaded = Object.values(createRequire(process.execPath).cache)
  const addon = loaded.find(
    (each) => each?.filename?.endsWith('.node') && each.exports?.[name] === comesFromIt,
  )
  if (!addon) throw new Error(`what has ${name} was not loaded from the file of an addon`)
  return addon.filename
}
