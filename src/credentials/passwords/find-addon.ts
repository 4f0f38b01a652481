/**
 * Returns the file of the addon that exports a function, as Node loaded it for this process.
 *
 * A path derived from the package's name does not exist in a host's bundle, or in a copy of it
 * without `node_modules`. In each of these cases the loaded file does.
 *
 * @throws Error where the addon was not loaded from a file, such as from WebAssembly.
 */
export function findAddon(name: string, comesFromIt: unknown): string {
  // Read from the process, since bundlers resolve static imports at build time.
  const { createRequire } = process.getBuiltinModule('node:module')
  const loaded = Object.values(createRequire(process.execPath).cache)
  const addon = loaded.find(
    (each) => each?.filename?.endsWith('.node') && each.exports?.[name] === comesFromIt,
  )
  if (!addon) throw new Error(`the addon with ${name} was not loaded from a file`)
  return addon.filename
}
