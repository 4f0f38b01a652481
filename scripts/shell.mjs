/**
 * The environment of a new developer's shell: without variables of the calling npm, except registry
 * and cache.
 */
export const shell = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = '']) => {
    const isOfNpm = /^npm_|^INIT_CWD$/.test(name)
    return isOfNpm && !/^npm_config_(cache|registry)$/.test(name) ? [] : [[name, value]]
  }),
)
