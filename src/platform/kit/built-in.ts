/**
 * Built-in modules that are loaded at their first use.
 *
 * An `import` of `node:http` reads all of its members, among them `WebSocket`: Node then loads its
 * `fetch`, which takes 30 ms. Most services never need the others.
 */
export const builtIn = {
  get http(): typeof import('node:http') {
    return process.getBuiltinModule('node:http')
  },
  get https(): typeof import('node:https') {
    return process.getBuiltinModule('node:https')
  },
  get tls(): typeof import('node:tls') {
    return process.getBuiltinModule('node:tls')
  },
  get webStreams(): typeof import('node:stream/web') {
    return process.getBuiltinModule('node:stream/web')
  },
  get zlib(): typeof import('node:zlib') {
    return process.getBuiltinModule('node:zlib')
  },
}
